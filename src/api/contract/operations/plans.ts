/** Plans of several tasks, and waiting for tasks. */

import { AWAIT_TASKS, READ_TASK } from '../../../domain/access/rules'
import type { SessionId, ToolUseId } from '../../../domain/ids'
import { PLAN_LIMITS } from '../../../domain/task/plan'
import { TASK_LIMITS } from '../../../domain/task/task-limits'
import { EVERYONE } from '../callers'
import { type Fields, json, noun } from '../operation'
import { MAX_TAKE_WAIT_MS } from '../protocol'
import { newTask } from './tasks'

const plan = (f: Fields) =>
  f.strictObject({
    title: f.optional(f.words(PLAN_LIMITS.title)),
    /** Each with a name of its own; `dependsOn` holds such names, or ids of tasks that are there already. */
    tasks: f
      .listOf(
        f.extend(newTask(f), {
          key: f.words(PLAN_LIMITS.key),
          dependsOn: f.optional(f.array(f.words()).check(f.maxLength(TASK_LIMITS.dependsOn))),
        }),
        PLAN_LIMITS.tasks,
      )
      .check(f.minLength(1)),
    /** For tasks that name none of their own. */
    parentTaskId: f.optional(f.id()),
    sessionId: f.optional(f.idOf<SessionId>()),
    spawnedBy: f.optional(
      f.strictObject({ sessionId: f.idOf<SessionId>(), toolUseId: f.optional(f.idOf<ToolUseId>()) }),
    ),
    source: f.optional(f.text(TASK_LIMITS.word)),
  })

export const plans = noun('plans', {
  create: {
    method: 'POST',
    path: '/api/plans',
    access: EVERYONE,
    takes: 'large',
    isCreate: true,
    summary: 'Create several tasks with dependencies between them, all or none',
    body: plan,
    mayNameNewSession: true,
    answer: json((schemas) => schemas.CreatedPlan),
  },
  get: {
    method: 'GET',
    path: '/api/plans/:id',
    access: READ_TASK,
    summary: 'Get a plan with its tasks and their progress',
    answer: json((schemas) => schemas.PlanProgress),
  },
  await: {
    method: 'POST',
    path: '/api/tasks/await',
    access: AWAIT_TASKS,
    summary: 'Wait until all or any of the tasks have ended; also returns the messages waiting for the caller',
    body: (f) =>
      f.strictObject({
        /** Left out: the open tasks that report to the caller. */
        ids: f.optional(f.array(f.id()).check(f.minLength(1), f.maxLength(500))),
        /** Default `all`. */
        mode: f.optional(f.enum(['all', 'any'])),
        /** Milliseconds; default 0. */
        waitMs: f.optional(f.whole(0, MAX_TAKE_WAIT_MS)),
        /** Names the call, as for what is taken at an address. */
        call: f.text(200),
        /** An operator's command within a chat session only. */
        sessionId: f.optional(f.id()),
      }),
    ids: { ids: 'task' },
    mayNameNewSession: true,
    answer: json((schemas) => schemas.Awaited),
  },
})
