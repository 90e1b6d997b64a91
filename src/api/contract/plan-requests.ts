import * as z from 'zod/mini'
import type { SessionId, ToolUseId } from '../../domain/ids'
import type { PLAN_ROUTES } from './plan-routes'
import { byId, id, idOf, type RequestSchemas, text, whole, words } from './request-fields'
import { MAX_TAKE_WAIT_MS } from './routes'
import { newTask } from './task-requests'

const optional = z.optional

const plan = () =>
  z.strictObject({
    title: optional(words()),
    /** Each with a name of its own; `dependsOn` holds such names, or ids of tasks that are there already. */
    tasks: z
      .array(z.extend(newTask(), { key: words(), dependsOn: optional(z.array(words()).check(z.maxLength(1_000))) }))
      .check(z.minLength(1), z.maxLength(10_000)),
    /** Of tasks that name none of their own. */
    parentTaskId: optional(id()),
    sessionId: optional(idOf<SessionId>()),
    spawnedBy: optional(z.strictObject({ sessionId: idOf<SessionId>(), toolUseId: optional(idOf<ToolUseId>()) })),
    source: optional(text(100)),
  })

/** What goes into requests about plans. */
export const PLAN_REQUESTS = {
  'plans.create': { body: plan },
  'plans.get': { params: byId },
  'tasks.await': {
    body: () =>
      z.strictObject({
        /** Left out: the open tasks that report to the caller. */
        ids: optional(z.array(id()).check(z.minLength(1), z.maxLength(500))),
        /** Default `all`. */
        mode: optional(z.enum(['all', 'any'])),
        /** Milliseconds; default 0. */
        waitMs: optional(whole(0, MAX_TAKE_WAIT_MS)),
        /** Names the call, as for what is taken at an address. */
        call: text(200),
        /** Of an operator's command within a chat session. */
        sessionId: optional(id()),
      }),
  },
  'agents.describe': {
    params: () => z.strictObject({ id: text(200) }),
    body: () =>
      z.strictObject({
        /** What its runs are told at their start; '' = nothing. */
        instructions: optional(words()),
        model: optional(z.nullable(text(200))),
        /** One line for those who choose among agents. */
        description: optional(z.nullable(words())),
        capabilities: optional(z.array(text(1_000)).check(z.maxLength(1_000))),
      }),
  },
} satisfies Record<keyof typeof PLAN_ROUTES, RequestSchemas>
