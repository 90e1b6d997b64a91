import { AppError } from '../../../domain/errors'
import { planId } from '../../../domain/ids'
import { FINAL_TASK_STATUSES, type ShownTaskStatus, type TaskStatus } from '../../../domain/task'
import { awaitTasks as wait } from '../await-tasks'
import { settle } from '../find-task'
import type { Handler } from '../handler'
import { idempotencyKey } from '../idempotency-key'
import { withProjectAgent } from '../project-agents'

export const awaitTasks: Handler<'tasks.await'> = async ({ caller, body, request }, context) => {
  await settle(context)
  return await wait(caller, body, request.signal, context)
}

export const createPlan: Handler<'plans.create'> = async ({ caller, body, request }, context) => {
  const { sessionId, spawnedBy } = body
  const tasks: typeof body.tasks = []
  for (const task of body.tasks) tasks.push(await withProjectAgent({ sessionId, spawnedBy, ...task }, caller, context))
  return await context.services.tasks.createPlan(caller, { ...body, tasks }, idempotencyKey(request))
}

export const showPlan: Handler<'plans.get'> = async ({ params }, context) => {
  await settle(context)
  const found = await context.store.tasks.findPlan(planId(params.id))
  if (found === undefined)
    throw new AppError('not_found', `there is no plan ${JSON.stringify(params.id.slice(0, 100))}`, {
      hint: 'The id is whole: p- and eight letters or digits. Its tasks name it: see `lode task show ID`.',
    })
  const counts: Partial<Record<TaskStatus, number>> = {}
  for (const task of found.tasks) {
    const status = statusOf(task.status)
    counts[status] = (counts[status] ?? 0) + 1
  }
  return { ...found, counts, isDone: found.tasks.every(({ status }) => isFinal(status)) }
}

/** An offer stands for what nobody has begun. */
const statusOf = (shown: ShownTaskStatus): TaskStatus =>
  shown === 'offered' ? 'pending' : shown === 'waiting' ? 'in_progress' : shown

const isFinal = (status: ShownTaskStatus) => (FINAL_TASK_STATUSES as readonly string[]).includes(status)
