import { INBOX_ROUTES } from './inbox-routes'
import { ISSUE_ROUTES } from './issue-routes'
import { LOGIN_ROUTES } from './login-routes'
import { MESSAGE_ROUTES } from './message-routes'
import { OVERVIEW_ROUTES } from './overview-routes'
import { PLAN_ROUTES } from './plan-routes'
import { READING_ROUTES } from './reading-routes'
import { RECALL_ROUTES } from './recall-routes'
import { RECORD_ROUTES } from './record-routes'
import { RECOVERY_ROUTES } from './recovery-routes'
import { REGISTRY_ROUTES } from './registry-routes'
import { TASK_ROUTES } from './task-routes'
import { TODO_ROUTES } from './todo-routes'
import { WORKER_ROUTES } from './worker-routes'

export type { CallerKind, Route } from './route'

/**
 * Every request that the server answers: name, method, path, who may ask. `requests.ts` and `responses.ts` say what goes in and comes
 * out under the same names; handlers, client methods and OpenAPI follow both.
 */
export const ROUTES = {
  ...RECORD_ROUTES,
  ...TASK_ROUTES,
  ...WORKER_ROUTES,
  ...RECALL_ROUTES,
  ...ISSUE_ROUTES,
  ...TODO_ROUTES,
  ...READING_ROUTES,
  ...RECOVERY_ROUTES,
  ...MESSAGE_ROUTES,
  ...REGISTRY_ROUTES,
  ...INBOX_ROUTES,
  ...PLAN_ROUTES,
  ...OVERVIEW_ROUTES,
  ...LOGIN_ROUTES,
}

export type RouteName = keyof typeof ROUTES

/** Carried by every answer: the server's version. A client tells its user when it differs from its own. */
export const VERSION_HEADER = 'Lodeline-Version'
/** The error's code where an error has no body (`/hooks/…`: any text there could enter an agent's prompt). */
export const ERROR_HEADER = 'Lodeline-Error'
/** What a client accepts in order to hear of progress while `import` or `rebuild` runs. */
export const PROGRESS_TYPE = 'application/x-ndjson'

/** Rows of a page when the request doesn't say, and the most that it may ask for. */
export const DEFAULT_PAGE_LIMIT = 50
export const MAX_PAGE_LIMIT = 1_000
/** Hits of a search. */
export const DEFAULT_SEARCH_LIMIT = 20
export const MAX_SEARCH_LIMIT = 200
/** The shortest beginning of a session id that may stand for the whole. */
export const MIN_ID_PREFIX = 4
/** Makes a create be done once: at most 200 printable characters, chosen by the caller. */
export const IDEMPOTENCY_HEADER = 'Idempotency-Key'
/** On a snapshot: uuid of its last line, which is where a fork begins. */
export const LAST_UUID_HEADER = 'Lodeline-Last-Uuid'
/** The longest that a poll may wait, in milliseconds. */
export const MAX_POLL_WAIT_MS = 30_000
/** The longest that a call may wait for messages, in milliseconds. */
export const MAX_TAKE_WAIT_MS = 600_000
/** Messages that one call takes or acknowledges. */
export const MAX_TAKEN = 200
/** Raw bytes of one request. */
export const MAX_BYTES_BODY = 4 * 1_024 * 1_024
