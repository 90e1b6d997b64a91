import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'

/** The repository that a folder belongs to, or the folder itself outside of one. */
export interface ProjectPlace {
  /** Main work tree's folder (the git common directory's parent): the same for all worktrees. */
  root: string
  /** URL of the remote `origin` without credentials; `null` when there is none. */
  remote: string | null
  name: string
}

/** Looks at files only; runs no git and follows nothing outside of `.git`. A folder that is gone is its own project. */
export function projectOf(cwd: string): ProjectPlace {
  for (let at = cwd; ; at = dirname(at)) {
    const common = commonDirectory(join(at, '.git'))
    if (common) {
      const root = basename(common) === '.git' && isOfRepository(at, common) ? dirname(common) : at
      return { root, remote: originOf(common), name: basename(root) || root }
    }
    if (dirname(at) === at) return { root: cwd, remote: null, name: basename(cwd) || cwd }
  }
}

/** The `.git` above a folder, which in a worktree is a file, and the folder that all worktrees share; `null` = there is no repository. */
export function gitFoldersOf(cwd: string): { dotGit: string; common: string } | null {
  for (let at = cwd; ; at = dirname(at)) {
    const dotGit = join(at, '.git')
    const common = commonDirectory(dotGit)
    if (common) return { dotGit, common }
    if (dirname(at) === at) return null
  }
}

/** Whether a repository's files begin in this folder: its main work tree, or a linked one. */
export const hasRepository = (folder: string): boolean => commonDirectory(join(folder, '.git')) !== null

/** As `projectOf`, by the folder's real path: the same project by every path. */
export function realProjectOf(cwd: string): ProjectPlace {
  let real = cwd
  try {
    real = realpathSync(cwd)
  } catch {
    // It is gone, or on another host.
  }
  return projectOf(real)
}

/** The project of a folder on another host, as far as its path tells. */
export function foreignProjectOf(cwd: string): ProjectPlace {
  return { root: cwd, remote: null, name: cwd.split(/[/\\]/).findLast((part) => part !== '') ?? cwd }
}

/**
 * Whether the repository knows the folder as its own: it holds it, or names it among its worktrees. A `.git` file alone may name any
 * repository, and who writes one would then be in that one's project.
 */
function isOfRepository(at: string, common: string): boolean {
  if (join(at, '.git') === common) return true
  const named = /^gitdir: (.+)$/m.exec(readSmall(join(at, '.git')))?.[1]
  if (named === undefined) return false
  const gitDir = resolve(at, named.trim())
  try {
    const back = resolve(gitDir, readSmall(join(gitDir, 'gitdir')).trim())
    return (
      dirname(realpathSync(gitDir)) === join(realpathSync(common), 'worktrees') &&
      realpathSync(back) === realpathSync(join(at, '.git'))
    )
  } catch {
    return false
  }
}

/**
 * `.git` is a folder, or in a worktree a file that names one, whose `commondir` names the shared one. A folder without `HEAD` is none, as for
 * git: sandboxes of agent CLIs leave an empty `.git` in folders that they protect, `/tmp` among them.
 */
function commonDirectory(dotGit: string): string | null {
  try {
    if (statSync(dotGit).isDirectory()) return existsSync(join(dotGit, 'HEAD')) ? dotGit : null
    const named = /^gitdir: (.+)$/m.exec(readSmall(dotGit))?.[1]
    if (!named) return null
    const gitDir = resolve(dirname(dotGit), named.trim())
    const common = readSmall(join(gitDir, 'commondir')).trim()
    if (!common) return gitDir
    return isAbsolute(common) ? common : resolve(gitDir, common)
  } catch {
    return null
  }
}

function originOf(common: string): string | null {
  const config = readSmall(join(common, 'config'))
  const section = /\[remote "origin"\]([^[]*)/.exec(config)?.[1] ?? ''
  const url = /^\s*url\s*=\s*(.+)$/m.exec(section)?.[1]?.trim()
  return url ? url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1') : null
}

/** At most 64 KiB of a text file; empty when it can't be read. */
function readSmall(path: string): string {
  try {
    if (statSync(path).size > 65_536) return ''
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
