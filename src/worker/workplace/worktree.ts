import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import type { KeepWorktrees } from '../../config/keys/worker-keys'
import { AppError } from '../../domain/errors'
import type { TaskId } from '../../domain/ids'
import { realProjectOf } from '../../util/git/git-project'
import { git, gitOnFiles, inTurn, noRevision } from './git'

/** A task's own work tree. */
export interface Worktree {
  /** Its folder. */
  path: string
  /** Where in it the task works: the same place below the root as the folder that was asked for. */
  cwd: string
  branch: string
  /** The commit that the branch began at. */
  base: string
  /** The repository's main folder, from which it can be removed. */
  repository: string
  /** Where the repository was fetched from; `null` = nowhere. */
  remote: string | null
}

/**
 * Makes the task's worktree, or finds the one that an earlier attempt made: branch `lode/<task>`, folder `<folder>/<task>`.
 *
 * @param dir   a folder in the repository
 * @param base  revision that the branch begins at; `null` = HEAD
 * @throws `invalid`  no repository, no such revision, or what git says
 */
export async function ensureWorktree(
  dir: string,
  folder: string,
  task: TaskId,
  base: string | null,
): Promise<Worktree> {
  const top = await git(dir, 'rev-parse', '--show-toplevel').catch((cause) => {
    throw new AppError('invalid', `${dir} is not in a Git repository, so it can't have a worktree.`, {
      hint: 'Create the task without --worktree, or with --dir in a Git repository.',
      cause,
    })
  })
  const common = await git(top, 'rev-parse', '--path-format=absolute', '--git-common-dir')
  const repository = basename(common) === '.git' ? dirname(common) : common
  const place = relative(top, realpathSync(dir))
  // The repository's settings may call any folder its root.
  if (place === '..' || place.startsWith(`..${sep}`))
    throw new AppError('invalid', `The repository of ${dir} says that its files are in ${top}.`, {
      hint: 'Remove core.worktree from its settings.',
    })
  return inTurn(repository, () =>
    makeWorktree({ dir, top, repository, place }, folder, task, async () =>
      git(top, 'rev-parse', '--verify', '--end-of-options', `${base ?? 'HEAD'}^{commit}`).catch((cause) => {
        throw noRevision(base, top, cause)
      }),
    ),
  )
}

/** As `ensureWorktree`, from a mirror. @param commit  asked for only if the task has no branch yet */
export const ensureWorktreeOfMirror = (
  mirror: string,
  folder: string,
  task: TaskId,
  commit: () => Promise<string>,
): Promise<Worktree> =>
  inTurn(mirror, () => makeWorktree({ dir: mirror, top: mirror, repository: mirror, place: '' }, folder, task, commit))

interface Source {
  /** What is remembered as the folder that it was made from. */
  dir: string
  /** Where git is called. */
  top: string
  repository: string
  /** The place of `dir` below the root of the files. */
  place: string
}

async function makeWorktree(
  { dir, top, repository, place }: Source,
  folder: string,
  task: TaskId,
  firstCommit: () => Promise<string>,
): Promise<Worktree> {
  const path = worktreeOf(task, folder)
  const branch = `lode/${task}`
  const describe = async (): Promise<Worktree> => ({
    path,
    cwd: existsSync(join(path, place)) ? join(path, place) : path,
    branch,
    base: await git(top, 'config', '--get', `branch.${branch}.lodelineBase`).catch(() =>
      git(top, 'merge-base', 'HEAD', branch),
    ),
    repository,
    remote: realProjectOf(repository).remote,
  })
  if (existsSync(join(path, '.git'))) return describe()
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(originPath(folder, task), dir, { mode: 0o600 })
  await git(top, 'worktree', 'prune')
  if (await has(top, `refs/heads/${branch}`)) {
    await gitOnFiles(top, 'worktree', 'add', path, branch)
    return describe()
  }
  const commit = await firstCommit()
  await gitOnFiles(top, 'worktree', 'add', '-b', branch, path, commit)
  // Kept with the branch: a later attempt, and a later look, must know it after commits were made.
  await git(top, 'config', `branch.${branch}.lodelineBase`, commit)
  return describe()
}

/**
 * Removes a worktree that nobody needs: the task completed, nothing is uncommitted. The branch goes too when it holds no commit of its
 * own. Never removes work.
 *
 * @returns what was done, for the log; `null` = it stays without a word
 */
export async function cleanWorktree(
  worktree: Worktree,
  keep: KeepWorktrees,
  isCompleted: boolean,
): Promise<string | null> {
  const { path, branch, base, repository } = worktree
  if (keep === 'always' || !isCompleted || !existsSync(path)) return null
  return inTurn(repository, async () => {
    // For a submodule, git would ask a repository of its own. A worktree with one is never removed.
    const look = ['status', '--porcelain', '--untracked-files=all', '--ignore-submodules=all']
    if ((await gitOnFiles(path, ...look)) !== '') return `kept the worktree ${path}: it has uncommitted changes`
    const head = await git(path, 'rev-parse', 'HEAD')
    const onBranch = await git(path, 'symbolic-ref', '--short', 'HEAD').catch(() => null)
    if (onBranch !== branch && head !== base) return `kept the worktree ${path}: it is no longer on its branch`
    await gitOnFiles(repository, 'worktree', 'remove', path)
    if ((await git(repository, 'rev-parse', branch)) !== base)
      return `removed the worktree; its commits are on the branch ${branch}`
    await git(repository, 'branch', '-D', branch)
    return 'removed the worktree: nothing was changed in it'
  })
}

/** The folder of a task's worktree. */
export const worktreeOf = (task: TaskId, folder: string): string => join(folder, task)

/** Where the worktree was made from that `path` lies or lay in: where work goes on when it was removed. */
export function originOf(path: string, folder: string): string | null {
  if (!path.startsWith(folder + sep)) return null
  const [task = ''] = path.slice(folder.length + 1).split(sep)
  try {
    return readFileSync(originPath(folder, task), 'utf8')
  } catch {
    return null
  }
}

const originPath = (folder: string, task: string) => join(folder, `${task}.origin`)

async function has(top: string, ref: string): Promise<boolean> {
  return git(top, 'show-ref', '--verify', '--quiet', ref).then(
    () => true,
    () => false,
  )
}
