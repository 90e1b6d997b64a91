import { AppError } from '../../domain/errors'
import type { TaskId } from '../../domain/ids'
import { SPAWN_LIMITS } from '../../domain/task/task'
import type { TaskRow } from '../../domain/task/task-store'
import type { Unit } from '../unit/unit'
import type { CreateTask } from './task-inputs'

/** Ancestors that are looked at; a chain of tasks that continue one another may be longer than what runs may spawn. */
const MAX_ABOVE = 200

type Above = readonly { id: TaskId; isSpawned: boolean }[]

/**
 * Agents' calls that make tasks below one task at the top, or from one session, go on one after the other: together they keep the limits,
 * and what is sent twice is made once. Taken before any row is held, or two could wait for one another.
 *
 * @returns the calling run's task and those above it; nothing for a session
 */
export async function takeTurn(unit: Unit, input: Pick<CreateTask, 'sessionId' | 'spawnedBy'>): Promise<Above> {
  if (unit.caller.kind !== 'attempt') {
    const session = input.sessionId ?? input.spawnedBy?.sessionId
    if (session !== undefined) await unit.tasks.lockTree(await unit.messages.addressOf(session))
    return []
  }
  const above = await unit.tasks.spawners(unit.caller.taskId, MAX_ABOVE)
  await unit.tasks.lockTree(above.at(-1)?.id ?? unit.caller.taskId)
  return above
}

/**
 * Whether the calling run may create `count` tasks now, none of which waits for a task that waits for the run.
 *
 * @param above  as `takeTurn` gave it
 * @param dependsOn  tasks that exist, which the new ones are to wait for
 * @throws `too_large` names limit and setting · `invalid` a loop
 */
export async function checkSpawn(unit: Unit, above: Above, dependsOn: readonly TaskId[], count: number): Promise<void> {
  const own = above[0]?.id
  if (own === undefined) return
  const limits = unit.spawnLimits ?? SPAWN_LIMITS
  const loop = dependsOn.find((id) => above.some((one) => one.id === id))
  if (loop !== undefined)
    throw new AppError('invalid', `A task created by ${own} can't depend on ${loop}, which is above it.`, {
      hint: 'It would wait for itself. Remove the dependency.',
      details: { field: 'dependsOn', taskId: loop },
    })
  const levels = above.filter(({ isSpawned }) => isSpawned).length
  if (levels >= limits.depth)
    throw tooMany('tasks.maxDepth', `${own} is ${levels} spawned levels deep`, limits.depth, 'levels')
  const open = await unit.tasks.countOpenFor(await unit.messages.addressOf(own))
  if (open + count > limits.children)
    throw tooMany('tasks.maxChildren', `${own} has ${open} open tasks below it`, limits.children, 'open tasks', count)
  const top = above.at(-1)?.id ?? own
  const inTree = await unit.tasks.countOpenBelow(await unit.messages.addressOf(top))
  if (inTree + count > limits.tree)
    throw tooMany(
      'tasks.maxTree',
      `${top} has ${inTree} open tasks below it on all levels`,
      limits.tree,
      'open tasks',
      count,
    )
}

function tooMany(setting: string, found: string, limit: number, words: string, more = 1): AppError {
  const added = words === 'levels' ? 'one more' : `${more} more`
  return new AppError(
    'too_large',
    `Task ${found}; ${added} would exceed the limit of ${limit} ${words} (${setting}).`,
    {
      hint:
        words === 'levels'
          ? 'Do the work yourself, or report what is left with finish-task.'
          : 'Wait for the open tasks with await-tasks, or cancel tasks that are not needed. A person may raise the setting.',
      details: { limit, unit: words, setting },
    },
  )
}

/** An agent's call: what a person makes twice is meant twice. */
export const isSpawn = (unit: Unit, input: Pick<CreateTask, 'spawnedBy'>): boolean =>
  unit.caller.kind === 'attempt' || input.spawnedBy !== undefined

/**
 * The task that the same agent made with the same words, for the same agent, and that is not over: an agent that forgot, or was
 * resumed, asks again.
 *
 * @param draft  what is to be made; its `replyTo` says who makes it
 */
export async function sameSpawn(
  unit: Unit,
  draft: Pick<TaskRow, 'replyTo' | 'text' | 'specialistId' | 'parentTaskId' | 'continuity' | 'dir' | 'issueId'> & {
    /** The agent that was named; `null` = none. */
    named: TaskRow['agentKey']
  },
): Promise<TaskRow | undefined> {
  const { replyTo, text } = draft
  if (replyTo === null) return undefined
  for (const row of await unit.tasks.openWithText(replyTo, text)) {
    if (row.specialistId !== draft.specialistId || row.parentTaskId !== draft.parentTaskId) continue
    if (row.continuity !== draft.continuity || row.dir !== draft.dir || row.issueId !== draft.issueId) continue
    if (draft.named !== null && row.agentKey !== draft.named) continue
    if (row.planId === null) return row
  }
  return undefined
}
