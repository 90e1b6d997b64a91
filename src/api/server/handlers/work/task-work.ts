import { tasks } from '../../../contract/operations/tasks'
import type { Context } from '../../context'
import { getTask } from '../../find/find-task'
import { handle } from '../../handler'

async function found(id: string, context: Context) {
  const task = await getTask(id, context)
  return { task, attempts: await context.store.tasks.attempts(task.id) }
}

export const taskWork = handle(tasks.work, async ({ params }, context) => {
  const { task, attempts } = await found(params.id, context)
  return { taskId: task.id, ...(await context.services.branches.look(task, attempts)) }
})

export const mergeTask = handle(tasks.merge, async ({ params, body }, context) => {
  const { task, attempts } = await found(params.id, context)
  return { taskId: task.id, commit: await context.services.branches.merge(task, attempts, body.commit === true) }
})

export const dropTask = handle(tasks.drop, async ({ params }, context) => {
  const { task, attempts } = await found(params.id, context)
  await context.services.branches.drop(task, attempts)
  return { taskId: task.id }
})
