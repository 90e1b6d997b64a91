import { realpathSync, statSync } from 'node:fs'
import { isAbsolute, sep } from 'node:path'
import type { WorkerConfig } from '../../config/load'
import { AppError } from '../../domain/errors'
import type { Assignment } from '../../domain/task/worker-protocol'
import { ensureWorktree, originOf, type Worktree } from './worktree'

/** Where an attempt works. */
export interface Workplace {
  /** Absolute, exists. */
  cwd: string
  /** The folder that it is about, absolute and real: of a worktree the one that it was made from. */
  project: string
  worktree: Worktree | null
  /** For the log: why it is not the folder that one would expect; `null` = it is. */
  note: string | null
}

/**
 * Finds the folder that a task runs in: the one it names, else where its conversation ran, else the setting
 * `worker.dir`; with `worktree` a
 * work tree of that repository.
 *
 * @throws `invalid`  nothing says where; the named folder is not there, or is none in which tasks may run here; git can't make the
 *                    worktree; `hint` says what to do
 */
export async function findWorkplace(
  { task, conversation }: Pick<Assignment, 'task' | 'conversation'>,
  settings: Pick<WorkerConfig, 'worktreeFolder' | 'dir' | 'dirs'>,
): Promise<Workplace> {
  const { dir, note } = chooseFolder(
    task.dir,
    conversation.kind === 'none' ? null : conversation.cwd,
    settings.worktreeFolder,
    settings.dir,
  )
  checkAllowed(dir, settings)
  const project = folderAt(originOf(dir, settings.worktreeFolder) ?? dir) ?? dir
  if (task.worktree === null) return { cwd: dir, project, worktree: null, note }
  const worktree = await ensureWorktree(dir, settings.worktreeFolder, task.id, task.worktree.base)
  return { cwd: worktree.cwd, project, worktree, note }
}

function chooseFolder(
  asked: string | null,
  before: string | null,
  worktrees: string,
  fallback: string | null,
): { dir: string; note: string | null } {
  if (asked !== null) {
    const dir = isAbsolute(asked) ? folderAt(asked) : null
    if (dir !== null) return { dir, note: null }
    throw new AppError('invalid', `The folder of the task, ${asked}, does not exist on this machine.`, {
      hint: 'Create the folder, or give the task another folder with lode task edit --dir.',
    })
  }
  const known = before === null ? null : folderAt(before)
  if (known !== null) return { dir: known, note: null }
  const origin = before === null ? null : originOf(before, worktrees)
  const repository = origin === null ? null : folderAt(origin)
  if (repository !== null)
    return { dir: repository, note: `the worktree ${before} was removed: working in ${repository}` }
  const gone = before === null ? null : `the folder ${before} no longer exists`
  if (fallback === null)
    throw new AppError(
      'invalid',
      gone === null
        ? 'The task has no folder, and this worker has none for such tasks.'
        : `The folder ${before} no longer exists.`,
      {
        hint: 'Give the task a folder with lode task edit --dir, or set worker.dir.',
      },
    )
  const own = folderAt(fallback)
  if (own === null) {
    throw new AppError('invalid', `The worker's folder ${fallback} does not exist.`, {
      hint: "Set another folder with 'lode config set worker.dir DIR'.",
    })
  }
  return { dir: own, note: gone === null ? null : `${gone}: working in ${own}` }
}

/** A worktree counts as the folder that it was made from. Links are followed, on both sides. @throws `invalid` */
function checkAllowed(dir: string, { dirs, worktreeFolder }: Pick<WorkerConfig, 'dirs' | 'worktreeFolder'>): void {
  if (dirs.length === 0) return
  const from = folderAt(originOf(dir, worktreeFolder) ?? dir)
  const allowed = dirs.map(folderAt).filter((each) => each !== null)
  if (from !== null && allowed.some((each) => from === each || from.startsWith(each === sep ? sep : each + sep))) return
  throw new AppError(
    'invalid',
    `The folder ${dir} is outside the folders in which this worker runs tasks: ${dirs.join(', ')}.`,
    {
      hint: "Give the task another folder with lode task edit --dir, or add this one with 'lode config set worker.dirs' on the worker's machine.",
    },
  )
}

/** The folder's real path, as the CLI will call it; `null` = there is none that can be entered. */
function folderAt(path: string): string | null {
  try {
    return statSync(path).isDirectory() ? realpathSync(path) : null
  } catch {
    return null
  }
}
