import type * as z from 'zod/mini'
import { INBOX_REQUESTS } from './inbox-requests'
import { ISSUE_REQUESTS } from './issue-requests'
import { MESSAGE_REQUESTS } from './message-requests'
import { LOGIN_REQUESTS, OVERVIEW_REQUESTS } from './overview-requests'
import { PLAN_REQUESTS } from './plan-requests'
import { READING_REQUESTS } from './reading-requests'
import { RECALL_REQUESTS } from './recall-requests'
import { RECORD_REQUESTS } from './record-requests'
import { RECOVERY_REQUESTS } from './recovery-requests'
import { REGISTRY_REQUESTS } from './registry-requests'
import type { RequestSchemas } from './request-fields'
import type { RouteName } from './routes'
import { TASK_REQUESTS } from './task-requests'
import { TODO_REQUESTS } from './todo-requests'
import { WORKER_REQUESTS } from './worker-requests'

export type { RequestSchemas } from './request-fields'

/** What may go into each route's requests. */
export const REQUESTS = {
  ...RECORD_REQUESTS,
  ...TASK_REQUESTS,
  ...WORKER_REQUESTS,
  ...RECALL_REQUESTS,
  ...ISSUE_REQUESTS,
  ...TODO_REQUESTS,
  ...READING_REQUESTS,
  ...RECOVERY_REQUESTS,
  ...MESSAGE_REQUESTS,
  ...REGISTRY_REQUESTS,
  ...INBOX_REQUESTS,
  ...PLAN_REQUESTS,
  ...OVERVIEW_REQUESTS,
  ...LOGIN_REQUESTS,
} satisfies Record<RouteName, RequestSchemas>

type Part<Name extends RouteName, Key extends keyof RequestSchemas> = (typeof REQUESTS)[Name] extends {
  [K in Key]: () => infer S
}
  ? S extends z.core.$ZodType
    ? WithFields<z.output<S>>
    : unknown
  : unknown

/** A part without fields must not forbid those of the others. */
type WithFields<T> = T extends Record<string, never> ? unknown : T

/** What a handler gets, by part; `unknown` where a route takes none. */
export type RequestParams<Name extends RouteName> = Part<Name, 'params'>
export type RequestQuery<Name extends RouteName> = Part<Name, 'query'>
export type RequestBody<Name extends RouteName> = Part<Name, 'body'>
/** What a client gives: the fields of path, query and body in one object. */
export type RequestInput<Name extends RouteName> = RequestParams<Name> & RequestQuery<Name> & RequestBody<Name>
