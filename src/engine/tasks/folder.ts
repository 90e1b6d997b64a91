import { AppError } from '../../domain/errors'
import { attemptId, type SessionId } from '../../domain/ids'
import type { AttemptRow, TaskRow } from '../../domain/task/task-store'
import type { Unit } from '../unit/unit'
import type { CreateTask } from './task-inputs'

/** Parents that are asked one after the other for a folder. */
const MAX_ABOVE = 200
/** The maximum number of attempts that are skipped because they ended before they ran. */
const PASSED_OVER = 20

/** The creator of a task, and what it hangs under. */
interface Origin {
  /** The task's own conversation is to be the parent's, copied. */
  continues: boolean
  parent: TaskRow | undefined
  /** The session that asks, or out of which it is made. */
  session: SessionId | string | undefined
}

/**
 * The folder of a new task: the one that is named, else its parent's, else that of the run or session that makes it. `null` = where
 * the continued conversation ran, or the folder that workers are set to use for such tasks.
 *
 * @throws `invalid` nothing says where
 */
export async function folderOfNew(
  unit: Unit,
  input: Pick<CreateTask, 'dir' | 'repository'>,
  { continues, parent, session }: Origin,
): Promise<string | null> {
  if (input.dir !== undefined) return input.dir
  if (input.repository !== undefined) return null
  if (parent !== undefined) {
    // Its work tree is found again by where the conversation ran: the tree may be gone by then, its repository not.
    if (continues && parent.isWorktree && parent.lastSessionId !== null) return null
    const folder = await folderOfTask(unit, parent)
    if (folder !== null) return folder
    if (continues && parent.lastSessionId !== null) return null
  }
  const { caller } = unit
  const own = caller.kind === 'attempt' ? await unit.tasks.task(caller.taskId) : undefined
  const made = own === undefined ? null : await folderOfTask(unit, own)
  if (made !== null) return made
  const asked = session === undefined ? undefined : await unit.registry.folderOf(session)
  if (asked !== undefined) return asked
  if (unit.hasFolder === true) return null
  throw new AppError('invalid', 'The task has no folder to run in.', {
    hint: 'Name an absolute path (--dir, or `dir`), a repository (--repository, or `repository`), or a parent task with a folder (--parent, or `parentTaskId`). The setting worker.dir is the folder for tasks without one.',
    details: { field: 'dir' },
  })
}

/** Where a task runs, as its children inherit it: in its work tree, in the folder that it names, or where it ran; `null` = unknown. */
async function folderOfTask(unit: Unit, task: TaskRow): Promise<string | null> {
  let at: TaskRow | undefined = task
  for (let turn = 0; at !== undefined && turn < MAX_ABOVE; turn++) {
    if (at.dir !== null && !at.isWorktree) return at.dir
    const ran = (await lastPlace(unit, at, await attemptOf(unit, at, at.attemptCount)))?.cwd ?? at.dir
    if (ran !== null) return ran
    at = at.parentKey === null ? undefined : await unit.tasks.taskByKey(at.parentKey)
  }
  return null
}

export async function attemptOf(unit: Unit, task: TaskRow, number: number): Promise<AttemptRow | undefined> {
  return number < 1 ? undefined : await unit.tasks.attempt(attemptId(`${task.id}.${number}`))
}

/** The attempt that tells where the task ran last: the newest one that had begun. */
export async function lastPlace(
  unit: Unit,
  task: TaskRow,
  newest: AttemptRow | undefined,
): Promise<AttemptRow | undefined> {
  let attempt = newest
  for (let turn = 0; attempt !== undefined && attempt.cwd === null && turn < PASSED_OVER; turn++)
    attempt = await attemptOf(unit, task, attempt.number - 1)
  return attempt ?? newest
}
