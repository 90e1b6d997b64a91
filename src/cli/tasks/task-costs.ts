import type { Client } from '../../api/client/client'
import { MAX_TASK_COSTS } from '../../api/contract/protocol'
import { type Cost, costIn } from '../../domain/cost/price'
import { isAppError } from '../../domain/errors'
import type { TaskId } from '../../domain/ids'
import type { Task, TaskNode } from '../../domain/task/task'

/** A task, and whether its cost is an estimate; without a word it is what its runs reported, which is none. */
export type CostedTask = Task & { isEstimate?: boolean }
/** The same with what is below it. */
export interface CostedNode extends TaskNode {
  task: CostedTask
  children: CostedNode[]
}

/**
 * What a task cost: what is recorded of its conversations while it had them, attempts that were killed included. Only of a task of
 * which nothing is recorded it is what its runs reported: that stands at each attempt.
 */
export const costOf = (task: { costUsd: number | null }, recorded: Cost | null | undefined): Cost =>
  recorded == null ? { costUsd: task.costUsd, isEstimate: false } : costIn(recorded)

/** The tasks with what they cost. */
export async function withCosts<Given extends { id: TaskId; costUsd: number | null }>(
  client: Client,
  tasks: readonly Given[],
): Promise<(Given & Cost)[]> {
  const recorded = await recordedOf(
    client,
    tasks.map(({ id }) => id),
  )
  return tasks.map((task) => ({ ...task, ...costOf(task, recorded.get(task.id)) }))
}

/** The same for a tree. */
export async function withTreeCosts(client: Client, root: TaskNode): Promise<CostedNode> {
  const ids: TaskId[] = []
  const collect = ({ task, children }: TaskNode): void => {
    ids.push(task.id)
    children.forEach(collect)
  }
  collect(root)
  const recorded = await recordedOf(client, ids)
  const costed = (node: TaskNode): CostedNode => ({
    ...node,
    task: { ...node.task, ...costOf(node.task, recorded.get(node.task.id)) },
    children: node.children.map(costed),
  })
  return costed(root)
}

async function recordedOf(client: Client, ids: readonly TaskId[]): Promise<Map<TaskId, Cost>> {
  const found = new Map<TaskId, Cost>()
  try {
    for (let at = 0; at < ids.length; at += MAX_TASK_COSTS) {
      const { costs } = await client.tasks.costs({ id: ids.slice(at, at + MAX_TASK_COSTS) })
      for (const { taskId, ...cost } of costs) found.set(taskId, cost)
    }
  } catch (thrown) {
    // A run is not shown what others cost.
    if (!isAppError(thrown) || thrown.code !== 'forbidden') throw thrown
  }
  return found
}
