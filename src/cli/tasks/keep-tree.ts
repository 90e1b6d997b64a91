import { hostname } from 'node:os'
import { isAppError } from '../../domain/errors'
import type { AgentId } from '../../domain/ids'
import { isLiveTask, type Task, type TaskNode } from '../../domain/task/task'
import type { Connection } from '../kit/context'
import { hasEnded } from './wait-task'

/** A task tree as it is looked at. */
export interface TreeState {
  tree: TaskNode
  /** Every task of it, the root first. */
  tasks: Task[]
}

export async function readTree(client: Connection['client'], root: string): Promise<TreeState> {
  const { tree } = await client.tasks.tree(root)
  const tasks: Task[] = []
  const stack = [tree]
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    tasks.push(node.task)
    stack.push(...node.children)
  }
  return { tree, tasks }
}

/**
 * Gives tasks of the tree that nobody has to this process's worker: those in the pool, and those of a worker like it that is gone. What
 * its maker gave to another agent stays there, and so does what this worker can't do.
 */
export async function adoptTree(
  client: Connection['client'],
  { tasks }: TreeState,
  worker: AgentId,
  isGone: (agent: string) => boolean,
): Promise<void> {
  for (const task of tasks) {
    const isFree = task.agentId === null ? task.offeredTo === null : task.agentId !== worker && isGone(task.agentId)
    if (!isFree || hasEnded(task) || task.status === 'backlog' || isLiveTask(task.status)) continue
    await unlessMoved(client.tasks.patch(task.id, { agentId: worker }))
  }
}

/** Agents that are workers of a run like this one on this machine, and are not there any more. */
export async function goneRunWorkers(client: Connection['client']): Promise<(agent: string) => boolean> {
  const { agents } = await client.agents.list()
  const own = `${hostname()}-run`
  const gone = new Set(
    agents.filter(({ name, status }) => status === 'offline' && name.startsWith(own)).map(({ id }) => id),
  )
  return (agent) => gone.has(agent as AgentId)
}

/** What holds the tree: each task that is open, those at work and those that wait. */
export async function pauseTree(client: Connection['client'], { tasks }: TreeState, reason: string): Promise<void> {
  // Children first: a parent that goes on would hear of what was held.
  for (const { id, status } of [...tasks].reverse())
    if (isLiveTask(status) || status === 'pending' || status === 'unassigned' || status === 'offered')
      await unlessMoved(client.tasks.pause(id, { reason }))
}

export async function cancelTree(client: Connection['client'], { tasks }: TreeState, reason: string): Promise<void> {
  for (const task of [...tasks].reverse())
    if (!hasEnded(task)) await unlessMoved(client.tasks.cancel(task.id, { reason }))
}

/** Lets what a person paused go on. */
export async function resumeTree(client: Connection['client'], { tasks }: TreeState): Promise<void> {
  for (const { id, status, pausedBy } of tasks)
    if (status === 'paused' && pausedBy === 'person') await unlessMoved(client.tasks.resume(id))
}

/** Somebody else, or the task itself, may have moved it meanwhile: the next look tells. */
async function unlessMoved(request: Promise<unknown>): Promise<void> {
  try {
    await request
  } catch (error) {
    if (!isAppError(error) || (error.code !== 'conflict' && error.code !== 'not_found')) throw error
  }
}
