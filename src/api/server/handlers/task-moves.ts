import type { Task } from '../../../domain/task'
import type { Caller } from '../../../domain/worker-protocol'
import type { TaskRef, TaskService } from '../../../engine/tasks/task-service'
import { settle } from '../find-task'
import type { Handler } from '../handler'

type MoveRoute =
  | 'tasks.cancel'
  | 'tasks.pause'
  | 'tasks.resume'
  | 'tasks.retry'
  | 'tasks.offer'
  | 'tasks.accept'
  | 'tasks.reject'
  | 'tasks.release'
  | 'tasks.progress'
  | 'tasks.finish'

type Body<Name extends MoveRoute> = Parameters<Handler<Name>>[0]['body']

/** A request that moves a task and answers with it. Who may do it, and when, the engine knows. */
function move<Name extends MoveRoute>(
  run: (tasks: TaskService, caller: Caller, id: TaskRef, body: Body<Name>) => Promise<Task>,
): Handler<Name> {
  const handler = async (
    { caller, params, body }: { caller: Caller; params: { id: string }; body: Body<Name> },
    context: Parameters<Handler<Name>>[1],
  ) => {
    await settle(context)
    return { task: await run(context.services.tasks, caller, params.id, body) }
  }
  // Every route of `MoveRoute` names its task in the path and answers `{task}`, which the compiler can't see of all at once.
  return handler as unknown as Handler<Name>
}

export const cancelTask = move<'tasks.cancel'>((tasks, caller, id, body) => tasks.cancel(caller, id, body))
export const pauseTask = move<'tasks.pause'>((tasks, caller, id, body) => tasks.pause(caller, id, body))
export const resumeTask = move<'tasks.resume'>((tasks, caller, id) => tasks.resume(caller, id))
export const deployTask: Handler<'tasks.deploy'> = async ({ caller, params }, context) => {
  await settle(context)
  const task = await context.services.tasks.deploy(caller, params.id)
  const [attempts, address] = await Promise.all([
    context.store.tasks.attempts(task.id),
    context.store.messages.addressOf(task.id),
  ])
  return { task, address, attempt: attempts.findLast(({ isLive }) => isLive) ?? null }
}

export const retryTask = move<'tasks.retry'>((tasks, caller, id, body) => tasks.retry(caller, id, body))
export const offerTask = move<'tasks.offer'>((tasks, caller, id, body) => tasks.offer(caller, id, body))
export const acceptTask = move<'tasks.accept'>((tasks, caller, id, body) => tasks.accept(caller, id, body))
export const rejectTask = move<'tasks.reject'>((tasks, caller, id, body) => tasks.reject(caller, id, body))
export const releaseTask = move<'tasks.release'>((tasks, caller, id, body) => tasks.release(caller, id, body))
export const storeProgress = move<'tasks.progress'>((tasks, caller, id, body) => tasks.progress(caller, id, body))
export const finishTask = move<'tasks.finish'>((tasks, caller, id, body) => tasks.finish(caller, id, body))

export const setConversation: Handler<'tasks.setConversation'> = async ({ caller, params, body }, { services }) => ({
  task: await services.tasks.setConversation(caller, params.id, body.claudeSessionId.toLowerCase()),
})

export const sayToTask: Handler<'tasks.input'> = ({ caller, params, body }, { services }) =>
  services.tasks.input(caller, params.id, body)

export const claimTask: Handler<'tasks.claim'> = async ({ caller, params, body }, context) => {
  await settle(context)
  return { assignment: await context.services.tasks.claim(caller, params.id, body) }
}

export const claimNext: Handler<'tasks.claimNext'> = async ({ caller, body }, context) => {
  await settle(context)
  return { assignment: await context.services.tasks.claim(caller, null, body) }
}
