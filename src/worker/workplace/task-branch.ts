/** What a task left on its branch and in its worktree: looked at, merged, dropped. For people; a run never calls this. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AppError } from '../../domain/errors'
import type { Attempt, Task } from '../../domain/task/task'
import type { WorkCopy } from '../../domain/task/work-copy'
import { gitFoldersOf } from '../../util/git/git-project'
import { callGit, git, gitOnFiles, refuseOwnFilters } from './git'
import { takeIn } from './restore-work-copy'

/** A task's branch on this machine. */
export interface TaskBranch {
  taskId: string
  branch: string
  /** The commit that it began at. */
  base: string
  /** The branch that it is compared with and merged into. */
  into: string
  /** Commits that it has and `into` has not. */
  ahead: number
  /** Commits that `into` has and it has not. */
  behind: number
  /** Its worktree; `null` = it is gone, and the branch alone is left. */
  path: string | null
  /** Files that are in no commit of the task's. */
  uncommitted: string[]
  /** A commit with these files too, where they come from a copy of the worktree; `null` = they are in `path`. */
  copied: string | null
  /** Its worktree of a worker's mirror, where that is on this machine. */
  mirrored: string | null
  /** A folder of the repository in which git is called. */
  repository: string
}

/** What the server keeps of a worktree that is not on this machine. */
export interface FarWorktree {
  /** A folder of the repository that is to get the branch. */
  repository: string
  copy(): Promise<WorkCopy | null>
  /** Brings the copy's bundle. @returns the file, which is removed by the caller */
  bundleOf(copy: WorkCopy): Promise<string>
}

/** Files that an error or a question names. */
const NAMED = 5

/**
 * Finds the branch of the task's newest attempt.
 *
 * @param hostName  this machine's random name
 * @param into      the branch to compare with; `undefined` = the one that the task's worktree was made from, else the one checked out
 * @param far       where it comes from if it is not on this machine
 * @throws `invalid`    the task had no worktree; `into` is no branch
 * @throws `not_found`  the branch is gone, and no copy is kept
 * @throws `conflict`   a branch of this name has other work
 */
export async function findTaskBranch(
  task: Task,
  attempts: readonly Attempt[],
  hostName: string,
  into: string | undefined,
  far: FarWorktree,
): Promise<TaskBranch> {
  const attempt = attempts.findLast((each) => each.branch !== null && each.base !== null)
  if (attempt === undefined || attempt.branch === null || attempt.base === null)
    throw new AppError('invalid', `Task ${task.id} has no worktree of its own.`, {
      hint:
        task.worktree === null
          ? "'lode task create TEXT --worktree' gives a task one."
          : 'It gets one when a worker begins it.',
    })
  const { branch, base } = attempt
  // A mirror of a worker has the branch and nothing of the person's.
  if (task.repository !== null || (attempt.hostName !== null && attempt.hostName !== hostName)) {
    const found = await fetchTaskBranch(task, attempt, into, far)
    return attempt.hostName === hostName ? { ...found, mirrored: attempt.cwd } : found
  }
  const repository = [task.dir, task.project, attempt.cwd].find((folder) => folder !== null && existsSync(folder))
  if (repository === undefined || repository === null)
    throw new AppError('not_found', `The folder of task ${task.id} is gone: ${task.dir ?? attempt.cwd}.`)
  if (!(await hasBranch(repository, branch)))
    throw new AppError('not_found', `The branch ${branch} of task ${task.id} is gone from ${repository}.`, {
      hint: 'A task that changed nothing leaves none; one that was dropped has none any more.',
    })
  const target = await targetOf(repository, task, branch, into)
  const path = await checkedOutAt(repository, branch)
  const uncommitted = path === null ? [] : await uncommittedIn(path)
  const counts = await countApart(repository, target, branch)
  return {
    taskId: task.id,
    branch,
    base,
    into: target,
    ...counts,
    path,
    uncommitted,
    copied: null,
    mirrored: null,
    repository,
  }
}

/** Brings the branch from the copy that the server keeps into a repository of the person's. */
async function fetchTaskBranch(
  task: Task,
  attempt: Attempt,
  into: string | undefined,
  { repository, copy: newest, bundleOf }: FarWorktree,
): Promise<TaskBranch> {
  const where = attempt.host ?? 'another machine'
  const copy = await newest()
  const branch = attempt.branch ?? `lode/${task.id}`
  if (copy === null || copy.taskId !== task.id)
    throw new AppError('not_found', `The server keeps no files of task ${task.id}, which ran on ${where}.`, {
      hint: 'It changed nothing, or its files could not be kept: its log says so. Look there.',
    })
  await git(repository, 'rev-parse', '--git-dir').catch((cause) => {
    throw new AppError('invalid', `${repository} is in no Git repository.`, {
      hint: `Run the command in a clone of ${copy.remote}.`,
      cause,
    })
  })
  const target = await targetOf(repository, task, branch, into)
  const file = await bundleOf(copy)
  await takeIn(repository, file, copy).finally(() => rmSync(file, { force: true }))
  if ((await callGit(repository, ['merge-base', target, copy.head])).code !== 0)
    throw new AppError('invalid', `${repository} shares no commit with ${copy.remote}.`, {
      hint: `Run the command in a clone of ${copy.remote}.`,
    })
  await moveBranch(repository, branch, copy.head)
  const isAtCopy = (await git(repository, 'rev-parse', `refs/heads/${branch}`)) === copy.head
  const names = isAtCopy
    ? await git(repository, 'diff-tree', '-r', '--name-only', '--no-renames', copy.head, copy.commit)
    : ''
  const uncommitted = names === '' ? [] : names.split('\n')
  const counts = await countApart(repository, target, branch)
  const about = { taskId: task.id, branch, base: copy.base, into: target, path: null, mirrored: null, repository }
  return { ...about, ...counts, uncommitted, copied: isAtCopy ? copy.commit : null }
}

/** To where the task's work is, unless it is there and went on. @throws `conflict` it has other work */
async function moveBranch(repository: string, branch: string, head: string): Promise<void> {
  const name = `refs/heads/${branch}`
  if (await hasBranch(repository, branch)) {
    const holds = async (one: string, other: string) =>
      (await callGit(repository, ['merge-base', '--is-ancestor', other, one])).code === 0
    if (await holds(name, head)) return
    if (!(await holds(head, name)) || (await checkedOutAt(repository, branch)) !== null)
      throw new AppError('conflict', `The branch ${branch} in ${repository} has other work, or is checked out.`, {
        hint: `Rename it first: git branch -m ${branch} NAME`,
      })
  }
  await git(repository, 'update-ref', name, head)
}

async function countApart(
  repository: string,
  into: string,
  branch: string,
): Promise<{ ahead: number; behind: number }> {
  const ends = `refs/heads/${into}...refs/heads/${branch}`
  const counts = await git(repository, 'rev-list', '--left-right', '--count', ends)
  const [behind = 0, ahead = 0] = counts.split(/\s+/).map(Number)
  return { ahead, behind }
}

/**
 * What the task changed since its branch began, as a patch: its commits, and what is in no commit yet.
 *
 * @param isSummary  the changed files with counts of lines instead
 */
export async function patchOf(
  { repository, path, branch, base, copied }: TaskBranch,
  isSummary: boolean,
): Promise<string> {
  const form = ['--no-color', '--no-ext-diff', '--no-textconv', ...(isSummary ? ['--stat=78'] : [])]
  if (path === null) return await git(repository, 'diff', ...form, base, copied ?? `refs/heads/${branch}`, '--')
  await refuseOwnFilters(path)
  // An index of its own: what is in no commit is seen without a change to what the person has staged there.
  const folder = mkdtempSync(join(tmpdir(), 'lode-diff-'))
  try {
    const index = { GIT_INDEX_FILE: join(folder, 'index') }
    for (const args of [
      ['read-tree', 'HEAD'],
      ['add', '--all'],
      ['diff', '--cached', ...form, base, '--'],
    ]) {
      const { out, err, code } = await callGit(path, args, index)
      if (code !== 0) throw new AppError('invalid', `git ${args[0]} failed in ${path}: ${err.trim().slice(0, 500)}`)
      if (args[0] === 'diff') return out.trimEnd()
    }
    return ''
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Its commits since it began, newest first. */
export async function commitsOf(
  { repository, branch, base }: TaskBranch,
  limit: number,
): Promise<{ id: string; title: string; at: string }[]> {
  const range = `${base}..refs/heads/${branch}`
  const lines = await git(repository, 'log', '--format=%H %cI %s', `--max-count=${limit}`, range, '--')
  return lines.split('\n').flatMap((line) => {
    const [, id, at, title] = /^(\S+) (\S+) (.*)$/.exec(line) ?? []
    return id === undefined || at === undefined ? [] : [{ id, at: new Date(at).toISOString(), title: title ?? '' }]
  })
}

/** Commits all that is in no commit yet, in the task's worktree. Hooks of the repository do not run. */
export async function commitRest({ path, copied, repository, branch }: TaskBranch, message: string): Promise<void> {
  if (copied !== null) {
    const head = await git(repository, 'rev-parse', `refs/heads/${branch}`)
    const commit = await git(repository, 'commit-tree', `${copied}^{tree}`, '-p', head, '-m', message)
    await git(repository, 'update-ref', `refs/heads/${branch}`, commit, head)
  }
  if (path === null) return
  await gitOnFiles(path, 'add', '--all')
  await gitOnFiles(path, 'commit', '--quiet', '-m', message)
}

/**
 * Merges the branch. Nothing is changed where git would stop half-way.
 *
 * @returns the commit that the branch `into` is at now
 * @throws `conflict`  uncommitted work on either side, or changes that contradict one another
 */
export async function mergeTaskBranch(found: TaskBranch): Promise<string> {
  const { repository, branch, into, ahead, path, uncommitted, taskId } = found
  if (uncommitted.length > 0)
    throw new AppError(
      'conflict',
      `The worktree${path === null ? '' : ` ${path}`} has ${filesText(uncommitted)} in no commit.`,
      {
        hint: `Add --commit to commit them first, or look at them with 'lode task diff ${taskId}'.`,
        details: { files: uncommitted },
      },
    )
  if (ahead === 0) return await git(repository, 'rev-parse', `refs/heads/${into}`)
  const place = await checkedOutAt(repository, into)
  if (place !== null) {
    const changed = (
      await gitOnFiles(place, 'status', '--porcelain', '--untracked-files=no', '--ignore-submodules=all')
    )
      .split('\n')
      .filter((line) => line !== '')
    if (changed.length > 0)
      throw new AppError(
        'conflict',
        `${into} is checked out in ${place}, which has ${filesText(changed.map(fileOf))} in no commit.`,
        {
          hint: 'Commit or stash them, then merge again.',
        },
      )
  }
  const tree = await mergedTree(repository, into, branch)
  if (place !== null) {
    const { err, code } = await callGit(place, ['merge', '--no-edit', '--quiet', branch])
    if (code !== 0) {
      await callGit(place, ['merge', '--abort'])
      throw new AppError(
        'conflict',
        `git could not merge ${branch} into ${into}: ${err.trim().split('\n').at(-1)?.slice(0, 300)}`,
        {
          hint: `Nothing was changed. Merge by hand in ${place}: git merge ${branch}`,
        },
      )
    }
    return await git(repository, 'rev-parse', `refs/heads/${into}`)
  }
  // Nobody has it checked out: the branch alone moves, and only from where it was seen.
  const [from, tip] = await Promise.all(
    [into, branch].map((each) => git(repository, 'rev-parse', `refs/heads/${each}`)),
  )
  if (from === undefined || tip === undefined) throw new Error('a branch has no commit')
  const isForward = found.behind === 0
  const commit = isForward
    ? tip
    : await git(repository, 'commit-tree', tree, '-p', from, '-p', tip, '-m', `Merge branch '${branch}' into ${into}`)
  await git(repository, 'update-ref', '-m', `merge ${branch}`, `refs/heads/${into}`, commit, from)
  return commit
}

/** Removes the worktree and the branch, with whatever is in them. The caller has asked. */
export async function dropTaskBranch({ repository, branch, path, mirrored }: TaskBranch): Promise<void> {
  const mirror = mirrored === null || !existsSync(mirrored) ? null : (gitFoldersOf(mirrored)?.common ?? null)
  if (mirrored !== null && mirror !== null) {
    await git(mirror, 'worktree', 'remove', '--force', mirrored)
    await git(mirror, 'branch', '--quiet', '-D', branch)
  }
  if (path !== null) await git(repository, 'worktree', 'remove', '--force', path)
  await git(repository, 'branch', '--quiet', '-D', branch)
}

/** `2 files (a.txt, b.txt)`. */
export const filesText = (files: readonly string[]): string =>
  `${files.length === 1 ? '1 file' : `${files.length} files`} (${files.slice(0, NAMED).join(', ')}${files.length > NAMED ? ', …' : ''})`

/** The tree of both, made without touching any file of the person. @throws `conflict` */
async function mergedTree(repository: string, into: string, branch: string): Promise<string> {
  const { out, err, code } = await callGit(repository, [
    ...['merge-tree', '--write-tree', '--name-only', '--no-messages'],
    ...[`refs/heads/${into}`, `refs/heads/${branch}`],
  ])
  const [tree = '', ...files] = out.trim().split('\n')
  if (code === 0) return tree
  // Git before 2.38 has no such command.
  if (code !== 1) throw new AppError('invalid', `git merge-tree failed in ${repository}: ${err.trim().slice(0, 300)}`)
  throw new AppError('conflict', `${branch} and ${into} changed the same lines of ${filesText(files)}.`, {
    hint: `Nothing was changed. Merge by hand: git merge ${branch}`,
    details: { files },
  })
}

/** The branch to compare with: the one asked for, else that which the worktree's base names, else what is checked out. @throws `invalid` */
async function targetOf(repository: string, task: Task, branch: string, asked: string | undefined): Promise<string> {
  const base = task.worktree?.base ?? null
  const target = asked ?? (base !== null && (await hasBranch(repository, base)) ? base : await checkedOut(repository))
  if (target !== branch && (await hasBranch(repository, target))) return target
  throw new AppError('invalid', `There is no branch ${JSON.stringify(target)} in ${repository} to compare with.`, {
    hint: 'Name one with --into BRANCH.',
  })
}

async function checkedOut(repository: string): Promise<string> {
  const { out, code } = await callGit(repository, ['symbolic-ref', '--quiet', '--short', 'HEAD'])
  if (code === 0) return out.trim()
  throw new AppError('invalid', `No branch is checked out in ${repository}.`, { hint: 'Name one with --into BRANCH.' })
}

async function hasBranch(repository: string, name: string): Promise<boolean> {
  return (await callGit(repository, ['show-ref', '--verify', '--quiet', `refs/heads/${name}`])).code === 0
}

/** The folder in which a branch is checked out; `null` = none that is there. */
async function checkedOutAt(repository: string, branch: string): Promise<string | null> {
  const entries = (await git(repository, 'worktree', 'list', '--porcelain')).split('\n\n')
  const entry = entries.find((each) => each.split('\n').includes(`branch refs/heads/${branch}`))
  const path = entry?.split('\n')[0]?.slice('worktree '.length)
  return path !== undefined && existsSync(path) ? path : null
}

async function uncommittedIn(path: string): Promise<string[]> {
  await refuseOwnFilters(path)
  const look = ['status', '--porcelain', '-z', '--untracked-files=all', '--ignore-submodules=all', '--no-renames']
  const { out, err, code } = await callGit(path, look)
  if (code !== 0) throw new AppError('invalid', `git status failed in ${path}: ${err.trim().slice(0, 300)}`)
  return out
    .split('\0')
    .filter((line) => line !== '')
    .map(fileOf)
}

/** The parts of a line of `git status --porcelain`: two signs, a blank, the name. */
const fileOf = (line: string): string => line.slice(2).trim()
