import type { Client } from '../api/client/client'
import type { ResponseOf } from '../api/contract/responses'
import { MAX_TASK_COSTS } from '../api/contract/task-routes'
import { isAppError } from '../domain/errors'
import type { TaskId } from '../domain/ids'
import type { TaskNode } from '../domain/task'

type Recorded = Pick<NonNullable<ResponseOf<'tasks.get'>['recorded']>, 'costUsd'>

/**
 * What a task cost: what is recorded of its conversations while it had them, attempts that were killed included; `null` = a model's
 * price is not known. Only of a task of which nothing is recorded it is what its runs reported: that stands at each attempt.
 */
export const costOf = (task: { costUsd: number | null }, recorded: Recorded | null | undefined): number | null =>
  recorded == null ? task.costUsd : recorded.costUsd

/** The tasks with what they cost. */
export async function withCosts<Given extends { id: TaskId; costUsd: number | null }>(
  client: Client,
  tasks: readonly Given[],
): Promise<Given[]> {
  const recorded = await recordedOf(
    client,
    tasks.map(({ id }) => id),
  )
  return tasks.map((task) => ({ ...task, costUsd: costOf(task, recorded.get(task.id)) }))
}

/** The same for a tree. */
export async function withTreeCosts(client: Client, root: TaskNode): Promise<TaskNode> {
  const ids: TaskId[] = []
  const collect = ({ task, children }: TaskNode): void => {
    ids.push(task.id)
    children.forEach(collect)
  }
  collect(root)
  const recorded = await recordedOf(client, ids)
  const costed = (node: TaskNode): TaskNode => ({
    ...node,
    task: { ...node.task, costUsd: costOf(node.task, recorded.get(node.task.id)) },
    children: node.children.map(costed),
  })
  return costed(root)
}

async function recordedOf(client: Client, ids: readonly TaskId[]): Promise<Map<TaskId, Recorded>> {
  const found = new Map<TaskId, Recorded>()
  try {
    for (let at = 0; at < ids.length; at += MAX_TASK_COSTS) {
      const { costs } = await client.tasks.costs(ids.slice(at, at + MAX_TASK_COSTS))
      for (const { taskId, costUsd } of costs) found.set(taskId, { costUsd })
    }
  } catch (thrown) {
    // A run is not shown what others cost.
    if (!isAppError(thrown) || thrown.code !== 'forbidden') throw thrown
  }
  return found
}
