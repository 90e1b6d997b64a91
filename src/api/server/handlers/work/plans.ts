import { AppError } from '../../../../domain/errors'
import { planId } from '../../../../domain/ids'
import { isFinal, type ShownTaskStatus, type Task, type TaskStatus } from '../../../../domain/task/task'
import type { Caller } from '../../../../domain/task/worker-protocol'
import { hasAccess } from '../../../../engine/access/require-access'
import { plans } from '../../../contract/operations/plans'
import { askingOf, requireFor } from '../../callers/authorize'
import type { Context } from '../../context'
import { settle } from '../../find/find-task'
import { handle } from '../../handler'
import { idempotencyKey } from '../../request/idempotency-key'
import { awaitTasks as wait } from '../../streams/await-tasks'
import { withProjectAgent } from './project-agents'

export const awaitTasks = handle(plans.await, async ({ caller, body, request }, context) => {
  await settle(context)
  return await wait(caller, body, request.signal, context)
})

export const createPlan = handle(plans.create, async ({ caller, body, request }, context) => {
  const { sessionId, spawnedBy } = body
  const tasks: typeof body.tasks = []
  for (const task of body.tasks) tasks.push(await withProjectAgent({ sessionId, spawnedBy, ...task }, caller, context))
  return await context.services.tasks.createPlan(caller, { ...body, tasks }, idempotencyKey(request))
})

export const showPlan = handle(plans.get, async ({ caller, params }, context) => {
  await settle(context)
  const found = await context.store.tasks.findPlan(planId(params.id))
  if (found === undefined)
    throw new AppError('not_found', `There is no plan ${JSON.stringify(params.id.slice(0, 100))}.`, {
      hint: 'Give the full ID: p- and eight letters or digits. Run `lode task show ID` for one of its tasks to see it.',
    })
  await requireOneOf(found.tasks, caller, context)
  const counts: Partial<Record<TaskStatus, number>> = {}
  for (const task of found.tasks) {
    const status = statusOf(task.status)
    counts[status] = (counts[status] ?? 0) + 1
  }
  return { ...found, counts, isDone: found.tasks.every(({ status }) => isFinal(status)) }
})

/** A caller that may see one task of a plan may see them all: for a run they are kin. @throws `forbidden` */
async function requireOneOf(tasks: readonly Pick<Task, 'id'>[], caller: Caller, context: Context): Promise<void> {
  const asking = askingOf(caller, context.store)
  for (const { id } of tasks) if (await hasAccess(asking, plans.get.access, id)) return
  if (tasks[0] !== undefined) await requireFor(plans.get, caller, tasks[0].id, context)
}

/** An offer stands for what nobody has begun. */
const statusOf = (shown: ShownTaskStatus): TaskStatus =>
  shown === 'offered' ? 'pending' : shown === 'waiting' ? 'in_progress' : shown
