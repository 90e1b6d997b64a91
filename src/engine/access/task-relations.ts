import type { RelationTo } from '../../domain/access/subjects'
import { type TaskId, taskId } from '../../domain/ids'
import type { TaskKin } from '../../domain/task/kinship'
import type { Asking, Related, RunCaller } from './asking'

type Check = (asking: Asking, caller: Related, task: TaskKin) => boolean | Promise<boolean>

/** A run has its own task, an agent those that it was given. */
const own: Check = (_, caller, task) =>
  caller.kind === 'attempt' ? task.id === caller.taskId : task.agentId === caller.agentId

const made: Check = (asking, caller, task) =>
  caller.kind === 'attempt' ? isSpawnedBy(asking, caller, task) : task.creatorId === caller.agentId

const below: Check = async (asking, caller, task) => {
  if (await made(asking, caller, task)) return true
  if (caller.kind === 'attempt') return task.id !== caller.taskId && (await isBelow(asking, caller, task.id))
  return await someAbove(asking, task.id, (above) => above.creatorId === caller.agentId)
}

/** Up and down from what the caller has: for an agent down alone, since what is above others gave. */
const tree: Check = async (asking, caller, task) => {
  if ((await own(asking, caller, task)) || (await below(asking, caller, task))) return true
  if (caller.kind === 'attempt') return (await asking.tasks.above(caller.taskId)).includes(task.id)
  return await someAbove(asking, task.id, (above) => above.agentId === caller.agentId)
}

const either =
  (one: Check, other: Check): Check =>
  async (...given) =>
    (await one(...given)) || (await other(...given))

/** When a caller stands to a task as the table says. */
const CHECKS: Readonly<Record<RelationTo<'task'>, Check>> = {
  own,
  made,
  below,
  ownOrMade: either(own, made),
  ownOrBelow: either(own, below),
  tree,
  family: async (asking, caller, task) =>
    caller.kind === 'attempt'
      ? (await made(asking, caller, task)) || (await asking.tasks.familyOf(caller.taskId)).includes(task.id)
      : await tree(asking, caller, task),
}

/** Relations in which a run stands to its own task, whatever that is: nothing has to be looked up. */
const OF_OWN: ReadonlySet<RelationTo<'task'>> = new Set(['own', 'ownOrMade', 'ownOrBelow', 'tree', 'family'])

/** A task that does not exist has no relation; a caller that may not see it learns nothing by that. */
export async function standsToTask(
  relation: RelationTo<'task'>,
  asking: Asking,
  caller: Related,
  id: string,
): Promise<boolean> {
  if (caller.kind === 'attempt' && caller.taskId === id && OF_OWN.has(relation)) return true
  const task = await asking.tasks.kinOf(taskId(id))
  return task !== undefined && (await CHECKS[relation](asking, caller, task))
}

/** Whether the calling run's task made it: as a child, or out of its conversation. */
async function isSpawnedBy(asking: Asking, caller: RunCaller, task: TaskKin): Promise<boolean> {
  if (task.id === caller.taskId || task.creatorId !== caller.agentId) return false
  if (task.parentTaskId === caller.taskId) return true
  const own = await asking.tasks.kinOf(caller.taskId)
  return own?.lastSessionId != null && task.spawnedSessionId === own.lastSessionId
}

/** What goes on in the place of a task that ended stands for it. */
async function isBelow({ tasks, messages }: Asking, caller: RunCaller, task: TaskId): Promise<boolean> {
  const above: readonly string[] = await tasks.above(task)
  return above.includes(caller.taskId) || above.includes(await messages.addressOf(caller.taskId))
}

async function someAbove({ tasks }: Asking, id: TaskId, fits: (task: TaskKin) => boolean): Promise<boolean> {
  for (const above of await tasks.above(id)) {
    const kin = await tasks.kinOf(above)
    if (kin !== undefined && fits(kin)) return true
  }
  return false
}
