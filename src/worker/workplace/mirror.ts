import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../domain/errors'
import { remoteName } from '../../domain/task/repository'
import { git, gitAtRemote, inTurn, noRevision } from './git'

/** A worker's own copy of a remote repository, without files: worktrees of tasks are made from it. */
export interface Mirror {
  /** Its folder, in which git is called. */
  repository: string
  /** What could not be brought up to date, for the log; `null` = it is. */
  note: string | null
}

/**
 * Brings a mirror of the remote up to date, and makes it where there is none. Where the remote does not respond, what is there serves.
 *
 * @param folder  that of all mirrors
 * @throws `unavailable` there is none, and the remote does not give one; git's words
 */
export async function openMirror(remote: string, folder: string): Promise<Mirror> {
  const repository = mirrorOf(remote, folder)
  return await inTurn(repository, async () => {
    const isNew = !existsSync(join(repository, '.git', FETCHED))
    if (isNew) {
      mkdirSync(repository, { recursive: true, mode: 0o700 })
      await git(repository, 'init', '--quiet', '--bare', '.git')
      await git(repository, 'config', 'remote.origin.url', remote)
    }
    try {
      await gitAtRemote(repository, 'fetch', '--quiet', '--prune', '--no-auto-gc', remote, ...EVERYTHING)
      await noteHead(repository, remote)
    } catch (error) {
      if (isNew)
        throw new AppError('unavailable', `The repository ${remote} can't be fetched: ${(error as Error).message}`, {
          hint: `Try 'git ls-remote ${remote}' on this machine as the user who runs the worker.`,
          cause: error,
        })
      return { repository, note: `${remote} does not respond; working with what was fetched before` }
    }
    writeFileSync(join(repository, '.git', FETCHED), remote)
    return { repository, note: null }
  })
}

/**
 * The commit that a revision of the remote names.
 *
 * @param revision  a branch, a tag or a commit; `null` = the remote's own branch
 * @throws `invalid` it names none
 */
export async function commitAt(repository: string, remote: string, revision: string | null): Promise<string> {
  const names = revision === null ? [OWN_BRANCH] : [`refs/remotes/origin/${revision}`, `refs/tags/${revision}`]
  for (const name of names) {
    const commit = await commitOf(repository, name)
    if (commit !== null) return commit
  }
  if (revision !== null && /^[0-9a-f]{4,64}$/.test(revision)) {
    const known = await commitOf(repository, revision)
    if (known !== null) return known
    await fetchCommits(repository, remote, [revision])
    const given = await commitOf(repository, revision)
    if (given !== null) return given
  }
  throw noRevision(revision, remote)
}

/** Asks a remote for commits to which no branch leads: some servers give them by their names. Never fails. Only for a mirror. */
export async function fetchCommits(mirror: string, remote: string, commits: readonly string[]): Promise<void> {
  await gitAtRemote(mirror, 'fetch', '--quiet', '--no-auto-gc', remote, ...commits).catch(() => '')
}

/** Its name says that a mirror was fetched, its time when last, and its text from where. */
const FETCHED = 'lodeline-fetched'

/** The remotes of all mirrors, those fetched last first. */
export function fetchedRemotes(folder: string): string[] {
  return mirrorsIn(folder)
    .sort((a, b) => b.fetchedAt - a.fetchedAt)
    .flatMap(({ remote }) => (remote === '' ? [] : [remote]))
}

/** The mirrors of a folder, with when each was fetched last, in milliseconds. */
export function mirrorsIn(folder: string): { repository: string; remote: string; fetchedAt: number }[] {
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names.flatMap((name) => {
    const repository = join(folder, name)
    try {
      const mark = join(repository, '.git', FETCHED)
      return [{ repository, remote: readFileSync(mark, 'utf8'), fetchedAt: statSync(mark).mtimeMs }]
    } catch {
      return []
    }
  })
}

const EVERYTHING = ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*']
const OWN_BRANCH = 'refs/remotes/origin/HEAD'

/** Its folder, which reads like the repository's name; the hash keeps two of one name apart. Git takes it for a main folder without files. */
export function mirrorOf(remote: string, folder: string): string {
  const hash = new Bun.CryptoHasher('sha256').update(remote).digest('hex').slice(0, 12)
  return join(folder, `${remoteName(remote)}-${hash}`)
}

/** Which branch is the remote's own. */
async function noteHead(repository: string, remote: string): Promise<void> {
  const head = await gitAtRemote(repository, 'ls-remote', '--symref', remote, 'HEAD')
  const branch = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(head)?.[1]
  if (branch !== undefined) {
    await git(repository, 'symbolic-ref', OWN_BRANCH, `refs/remotes/origin/${branch}`)
    return
  }
  const commit = /^([0-9a-f]{40,64})\tHEAD$/m.exec(head)?.[1]
  if (commit !== undefined) await git(repository, 'update-ref', '--no-deref', OWN_BRANCH, commit)
}

async function commitOf(repository: string, revision: string): Promise<string | null> {
  const found = git(repository, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`)
  return await found.catch(() => null)
}
