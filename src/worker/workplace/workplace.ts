import { existsSync, realpathSync, rmSync, statSync } from 'node:fs'
import { isAbsolute, join, sep } from 'node:path'
import type { WorkerConfig } from '../../config/load'
import { AppError } from '../../domain/errors'
import type { TaskId } from '../../domain/ids'
import type { WorkCopy } from '../../domain/task/work-copy'
import type { Assignment } from '../../domain/task/worker-protocol'
import { isWithin } from '../../util/files/is-within'
import { commitAt, fetchCommits, type Mirror, mirrorOf, openMirror } from './mirror'
import { applyWorkCopy, takeIn } from './restore-work-copy'
import { ensureWorktree, ensureWorktreeOfMirror, originOf, type Worktree, worktreeOf } from './worktree'

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

/** What the search for a folder asks of others. */
export interface WorkplaceParts {
  /** This machine's random name. */
  hostName: string
  /** The newest state of the task's worktree that the server keeps, or of the parent's that it continues. Asked only if it is needed. */
  workCopy(): Promise<WorkCopy | null>
  /** Brings the copy's bundle. @returns the file, which is removed by the caller */
  bundleOf(copy: WorkCopy): Promise<string>
}

type Settings = Pick<WorkerConfig, 'worktreeFolder' | 'mirrorFolder' | 'dir' | 'dirs'>
type Asked = Pick<Assignment, 'task' | 'conversation'>

/**
 * Finds the folder that a task runs in: the one it names, else where its conversation ran, else the setting `worker.dir`; with `worktree` a
 * work tree of that repository. A task that names a repository, or that ran on another machine, gets a work tree made from a mirror, with
 * the files as they were after the last turn.
 *
 * @throws `invalid`      nothing says where; the named folder is not there, or is none in which tasks may run here; git can't make the
 *                        worktree; `hint` says what to do
 * @throws `unavailable`  the repository can't be fetched
 */
export async function findWorkplace(asked: Asked, settings: Settings, parts: WorkplaceParts): Promise<Workplace> {
  const { task, conversation } = asked
  const before = conversation.kind === 'none' ? null : conversation.cwd
  const foreign = await mirrored(asked, before, settings, parts)
  if (foreign !== null) return foreign
  const { dir, note } = chooseFolder(task.dir, before, settings.worktreeFolder, settings.dir)
  checkAllowed(dir, settings)
  const project = folderAt(originOf(dir, settings.worktreeFolder) ?? dir) ?? dir
  if (task.worktree === null) return { cwd: dir, project, worktree: null, note }
  const worktree = await ensureWorktree(dir, settings.worktreeFolder, task.id, task.worktree.base)
  return { cwd: worktree.cwd, project, worktree, note }
}

/** Its workplace in a mirror of its repository; `null` = it has one on this machine, or none that is known. */
async function mirrored(
  { task, conversation }: Asked,
  before: string | null,
  settings: Settings,
  parts: WorkplaceParts,
): Promise<Workplace | null> {
  const { worktreeFolder } = settings
  const ranOn = conversation.kind === 'own' ? conversation.hostName : null
  const isFromElsewhere = ranOn !== null && ranOn !== parts.hostName
  const isHere = before !== null && (folderAt(before) !== null || originOf(before, worktreeFolder) !== null)
  const isMoved = before !== null && (isFromElsewhere || !isHere)
  const hasOwnFolder = task.dir !== null && folderAt(task.dir) !== null
  // Where it ran last, unless that is its own worktree, which is found below with its branch.
  const isInOther = !isMoved && before !== null && before !== worktreeOf(task.id, worktreeFolder)
  if (task.repository === null ? !isMoved || (hasOwnFolder && task.worktree === null) : isInOther) return null
  const copy = isMoved ? await parts.workCopy() : null
  // What a task names counts, not what another machine said.
  const remote = task.repository ?? copy?.remote ?? null
  if (remote === null) return null
  const isMade = existsSync(join(worktreeOf(task.id, worktreeFolder), '.git'))
  // A task that goes on where it was needs nothing of the remote, which may be away.
  const mirror: Mirror =
    isMade && copy === null
      ? { repository: mirrorOf(remote, settings.mirrorFolder), note: null }
      : await openMirror(remote, settings.mirrorFolder)
  const { repository } = mirror
  const place = (worktree: Worktree, notes: readonly (string | null)[]): Workplace => {
    const note = notes.filter((each) => each !== null).join('; ')
    const cwd = folderWithin(worktree.path, placeBelow(before, conversation, task.id)) ?? worktree.cwd
    return { cwd, project: repository, worktree: { ...worktree, cwd }, note: note === '' ? null : note }
  }
  if (copy === null) {
    const base = task.worktree?.base ?? null
    const worktree = await ensureWorktreeOfMirror(repository, worktreeFolder, task.id, () =>
      commitAt(repository, remote, base),
    )
    return place(worktree, [mirror.note, isMoved ? NO_COPY : null])
  }
  const file = await parts.bundleOf(copy)
  const fetch = (commits: string[]) => fetchCommits(repository, remote, commits)
  await takeIn(repository, file, copy, fetch).finally(() => rmSync(file, { force: true }))
  const made = await ensureWorktreeOfMirror(repository, worktreeFolder, task.id, async () => copy.head)
  const replaced = await applyWorkCopy(made.path, copy)
  return place({ ...made, base: copy.base }, [
    mirror.note,
    `the files are as they were after the last turn of ${copy.attemptId}`,
    replaced,
    copy.leftOut.length > 0 ? `without ${copy.leftOut.slice(0, NAMED).join(', ')}` : null,
  ])
}

/** Where below its worktree a conversation worked, wherever that was; '' = at its root, or it is not known. */
function placeBelow(cwd: string | null, conversation: Asked['conversation'], task: TaskId): string {
  const of = conversation.kind === 'parent' ? conversation.parentTaskId : task
  const parts = cwd?.split(/[\\/]/) ?? []
  const at = parts.lastIndexOf(of)
  return at < 0 ? '' : parts.slice(at + 1).join(sep)
}

/** A folder below another one, which no link and no `..` leaves; `null` = there is none. */
function folderWithin(root: string, place: string): string | null {
  const [top, folder] = [folderAt(root), folderAt(join(root, place))]
  return top !== null && folder !== null && isWithin(folder, top) ? folder : null
}

const NO_COPY = 'no copy of the files on the other machine is kept: working with those of the repository'
/** Files that a note names. */
const NAMED = 5

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
function checkAllowed(dir: string, { dirs, worktreeFolder, mirrorFolder }: Settings): void {
  if (dirs.length === 0) return
  const from = folderAt(originOf(dir, worktreeFolder) ?? dir)
  const allowed = [...dirs, mirrorFolder].map(folderAt).filter((each) => each !== null)
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
