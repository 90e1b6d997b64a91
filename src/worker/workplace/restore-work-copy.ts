import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../domain/errors'
import type { WorkCopy } from '../../domain/task/work-copy'
import { callGit, git, gitOnFiles, inTurn, OWN_IDENTITY, refuseOwnFilters } from './git'
import { mayLeave } from './take-work-copy'

/**
 * Takes the commits of a bundle into a repository, without a branch or tag.
 *
 * @param file   the bundle
 * @param fetch  brings what it builds on and the repository lacks: left out for a person's, whose settings may name programs
 * @throws `invalid` the repository lacks what it builds on, or the bundle is not what the server said
 */
export async function takeIn(
  repository: string,
  file: string,
  { commit, head, remote }: WorkCopy,
  fetch?: (commits: string[]) => Promise<void>,
): Promise<void> {
  await inTurn(repository, async () => {
    const unbundle = () => callGit(repository, ['bundle', 'unbundle', file])
    let given = await unbundle()
    const missing = [...given.err.matchAll(/^error: ([0-9a-f]{40,64})/gm)].map(([, id = '']) => id)
    if (given.code !== 0 && missing.length > 0 && fetch !== undefined) {
      await fetch(missing)
      given = await unbundle()
    }
    const parent = given.code === 0 ? await git(repository, 'rev-parse', `${commit}^`).catch(() => '') : ''
    if (parent !== head)
      throw new AppError('invalid', `The work copy can't be taken in: ${given.err.trim().split('\n').at(-1) ?? ''}`, {
        hint: `It builds on commits that ${repository} lacks. Fetch ${remote} there, or start the task anew.`,
      })
  })
}

/**
 * Makes the files of a worktree those of a work copy: its branch goes where the branch was, and what was in no commit is in none. What
 * the worktree holds itself and the copy does not is kept under `refs/lodeline/replaced/…`. Files that no copy has, such as secrets, stay.
 *
 * @param path  a worktree on the task's branch, of a repository that has the copy's commits
 * @returns what it replaced, for the log; `null` = nothing
 */
export async function applyWorkCopy(path: string, { taskId, commit, head }: WorkCopy): Promise<string | null> {
  if (!existsSync(path)) throw new AppError('not_found', `The worktree ${path} is gone.`)
  const replaced = await keepWhatIsThere(path, taskId, commit)
  await gitOnFiles(path, 'reset', '--quiet', '--hard', head)
  for (const name of await untracked(path)) if (await mayLeave(path, name)) rmSync(join(path, name), { force: true })
  await gitOnFiles(path, 'read-tree', '-u', '--reset', commit)
  await gitOnFiles(path, 'reset', '--quiet')
  return replaced
}

/** Files that git neither has nor ignores; a repository within is none. */
async function untracked(path: string): Promise<string[]> {
  await refuseOwnFilters(path)
  const { out } = await callGit(path, ['ls-files', '--others', '--exclude-standard', '-z'])
  return out.split('\0').filter((name) => name !== '' && !name.endsWith('/'))
}

/** A commit of all files, if they differ from the copy's and from the branch's. */
async function keepWhatIsThere(path: string, task: string, commit: string): Promise<string | null> {
  const changed =
    (await gitOnFiles(path, 'status', '--porcelain', '--untracked-files=no', '--ignore-submodules=all')) !== ''
  const added: string[] = []
  for (const name of await untracked(path)) if (await mayLeave(path, name)) added.push(name)
  const isAhead = (await git(path, 'rev-list', '--count', 'HEAD', '--not', commit)) !== '0'
  if (!changed && added.length === 0 && !isAhead) return null
  await gitOnFiles(path, 'add', '--update')
  const names = added.map((name) => `${name}\0`).join('')
  const fromInput = ['add', '--pathspec-from-file=-', '--pathspec-file-nul']
  if (added.length > 0) {
    const { err, code } = await callGit(path, fromInput, { GIT_LITERAL_PATHSPECS: '1' }, names)
    if (code !== 0) throw new AppError('invalid', `git add failed in ${path}: ${err.trim().slice(-500)}`)
  }
  const tree = await git(path, 'write-tree')
  if (!isAhead && tree === (await git(path, 'rev-parse', `${commit}^{tree}`))) return null
  const words = ['commit-tree', tree, '-p', 'HEAD', '-m', `What was in the worktree of ${task}`]
  const { out, err, code } = await callGit(path, words, OWN_IDENTITY)
  if (code !== 0) throw new AppError('invalid', `git commit-tree failed in ${path}: ${err.trim().slice(-500)}`)
  const kept = out.trim()
  const ref = `refs/lodeline/replaced/${task}-${kept.slice(0, 12)}`
  await git(path, 'update-ref', ref, kept)
  return `the files that were here before are kept as ${ref}`
}
