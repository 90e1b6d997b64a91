/** Where the issues of a folder's project are. The folder may have come from anybody: what it holds leads to nothing outside of itself. */
import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { AppError } from '../../domain/errors'
import type { IssuePlace } from '../../engine/issues/trackers/issue-files'
import { isWithin } from '../../util/files/is-within'
import { hasRepository, projectOf } from '../../util/git/git-project'
import { databaseOf, redirected } from './beads-keeper'
import { assertIssueFileName } from './issue-file'
import { assertOwn, type FolderTrust, isOwn } from './trusted-folder'

/** Names of an existing file, the first that is there in a folder. */
const OWN = '.lodeline/issues.jsonl'
/** In a `.beads` folder. */
const BEADS = ['issues.jsonl', 'beads.jsonl'] as const

/** Where trackers are looked for. */
interface Search {
  /** The project's folder, links resolved: nothing leads out of it. */
  root: string
  /** `LODELINE_HOME`, which is no project's folder. */
  home: string
  trust: FolderTrust
}

/**
 * From the folder up to its repository's, and no further. In a linked work tree the main one's file is meant: agents that work side by side
 * share one tracker. Outside of a repository, up as far as the folders are the user's.
 *
 * @throws `invalid` · `not_found` there is no such folder · `forbidden` it leads out of its project, or is another user's
 */
export function locateIssues(dir: string, home: string, trust: FolderTrust): IssuePlace {
  const folder = realFolder(dir)
  const root = real(projectOf(folder).root)
  const isRepository = root !== folder || hasRepository(root)
  for (let at = isWithin(folder, root) ? folder : root; ; at = dirname(at)) {
    const found = fileOf(at, { root: isRepository ? root : at, home, trust })
    if (found !== null) return found
    const isLast = isRepository ? at === root : !isOwn(dirname(at), trust)
    if (isLast || dirname(at) === at) break
  }
  const own = join(root, '.lodeline')
  if (isSameFolder(own, home)) return { path: join(real(home), 'issues', 'issues.jsonl'), isBeads: false }
  assertInside(own, root)
  assertOwn([root, own], root, trust)
  return { path: join(own, 'issues.jsonl'), isBeads: false }
}

/**
 * Whether a path that was found once still leads where it did.
 * @throws `forbidden`
 */
export function assertUnmoved(path: string): void {
  const folder = dirname(path)
  if (real(folder) === folder) return
  throw new AppError('forbidden', `${folder} leads to another folder now, so its issues are not used.`, {
    hint: 'Replace the link with a folder.',
    details: { path },
  })
}

function fileOf(folder: string, { root, home, trust }: Search): IssuePlace | null {
  const own = join(folder, OWN)
  if (!isSameFolder(dirname(own), home) && isFile(own))
    return { path: checked(own, [folder, dirname(own)], { root, home, trust }), isBeads: false }
  const named = join(folder, '.beads')
  if (statSync(named, { throwIfNoEntry: false })?.isDirectory() !== true) return null
  const beads = redirected(named)
  const name = BEADS.find((each) => isFile(join(beads, each)))
  // A database is the tracker, also where nobody exported it: a file of ours beside it would be a second one.
  if (name === undefined && databaseOf(beads) === null) return null
  return { path: checked(join(beads, name ?? BEADS[0]), [folder, beads], { root, home, trust }), isBeads: true }
}

/** The file's real path, where it is one of the project and of the user. @throws `forbidden` `invalid` */
function checked(path: string, folders: readonly string[], { root, trust }: Search): string {
  assertInside(path, root)
  assertIssueFileName(path)
  const file = real(path)
  const target = file === path ? join(real(dirname(path)), basename(path)) : file
  assertOwn([...folders.map(real), target], root, trust)
  return target
}

function assertInside(path: string, root: string): void {
  const target = real(path)
  const folder = real(dirname(path))
  if (isWithin(target === path ? join(folder, basename(path)) : target, root)) return
  throw new AppError('forbidden', `${path} leads out of its project to ${target}, so it is not used.`, {
    hint: 'Replace the link with a file or folder of the project.',
    details: { path, target },
  })
}

function realFolder(dir: string): string {
  if (!isAbsolute(dir) || dir.includes('\0')) throw new AppError('invalid', '`dir` is not an absolute path.')
  try {
    const found = realpathSync(dir)
    return statSync(found).isDirectory() ? found : dirname(found)
  } catch {
    throw new AppError('not_found', `There is no folder ${dir.slice(0, 500)}.`, {
      hint: 'Give a folder on the machine of the server.',
    })
  }
}

/** Links resolved; of what is not there, as it is. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

const isSameFolder = (path: string, home: string): boolean => real(path) === real(home)
