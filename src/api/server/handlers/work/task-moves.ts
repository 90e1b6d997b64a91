import type { Task } from '../../../../domain/task/task'
import type { Caller } from '../../../../domain/task/worker-protocol'
import type { TaskService } from '../../../../engine/tasks/task-service'
import type { TaskRef } from '../../../../engine/unit/find-task'
import type { BodyOf, JsonAnswer, Operation } from '../../../contract/operation'
import { tasks } from '../../../contract/operations/tasks'
import type { OneTask } from '../../../contract/schemas'
import type { Context } from '../../context'
import { settle } from '../../find/find-task'
import { type Call, type Handler, handle } from '../../handler'

/** Operations that move a task: each names it in its path and answers `{task}`. */
type Move = Operation & { path: `/api/tasks/:id/${string}`; answer: JsonAnswer<typeof OneTask> }

/** Moves a task and answers with it. The engine decides which callers may do it, and when. */
const moves = <Op extends Move>(
  operation: Op,
  run: (service: TaskService, caller: Caller, id: TaskRef, body: BodyOf<Op>) => Promise<Task>,
) =>
  handle<Op>(operation, (async ({ caller, params, body }: Call<Move & Op>, context: Context) => {
    await settle(context)
    return { task: await run(context.services.tasks, caller, params.id, body) }
    // The compiler does not see `Move` in the types that derive from `Op`.
  }) as unknown as Handler<Op>)

export const cancelTask = moves(tasks.cancel, (service, caller, id, body) => service.cancel(caller, id, body))
export const pauseTask = moves(tasks.pause, (service, caller, id, body) => service.pause(caller, id, body))
export const resumeTask = moves(tasks.resume, (service, caller, id) => service.resume(caller, id))
export const deployTask = handle(tasks.deploy, async ({ caller, params }, context) => {
  await settle(context)
  const task = await context.services.tasks.deploy(caller, params.id)
  const [attempts, address] = await Promise.all([
    context.store.tasks.attempts(task.id),
    context.store.messages.addressOf(task.id),
  ])
  return { task, address, attempt: attempts.findLast(({ isLive }) => isLive) ?? null }
})

export const retryTask = moves(tasks.retry, (service, caller, id, body) => service.retry(caller, id, body))
export const offerTask = moves(tasks.offer, (service, caller, id, body) => service.offer(caller, id, body))
export const acceptTask = moves(tasks.accept, (service, caller, id, body) => service.accept(caller, id, body))
export const rejectTask = moves(tasks.reject, (service, caller, id, body) => service.reject(caller, id, body))
export const releaseTask = moves(tasks.release, (service, caller, id, body) => service.release(caller, id, body))
export const storeProgress = moves(tasks.progress, (service, caller, id, body) => service.progress(caller, id, body))
export const finishTask = moves(tasks.finish, (service, caller, id, body) => service.finish(caller, id, body))

export const setConversation = handle(tasks.setConversation, async ({ caller, params, body }, { services }) => ({
  task: await services.tasks.setConversation(caller, params.id, body.claudeSessionId.toLowerCase()),
}))

export const sendTaskInput = handle(tasks.input, ({ caller, params, body }, { services }) =>
  services.tasks.input(caller, params.id, body),
)

export const claimTask = handle(tasks.claim, async ({ caller, params, body }, context) => {
  await settle(context)
  return { assignment: await context.services.tasks.claim(caller, params.id, body) }
})

export const claimNext = handle(tasks.claimNext, async ({ caller, body }, context) => {
  await settle(context)
  const assignment = await context.services.tasks.claim(caller, null, body)
  // Its run calls soon.
  if (assignment !== null && caller.kind === 'agent')
    context.who.gave(assignment.token, { ...assignment, taskId: assignment.task.id, agentId: caller.agentId })
  return { assignment }
})
