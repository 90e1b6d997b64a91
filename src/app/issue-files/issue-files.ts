import { mkdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative } from 'node:path'
import { AppError } from '../../domain/errors'
import type { IssueKeeper } from '../../engine/issues/kept/issue-keeper'
import type { IssueFiles, IssuePlace } from '../../engine/issues/trackers/issue-files'
import { projectOf } from '../../util/git-project'
import { type BdLimits, createBdKeeper } from '../bd/bd-keeper'
import { isInside } from '../bd/find-bd'
import { databaseOf, redirected } from './beads-keeper'
import { fileError, readIssueFile, replaceIssueFile, stampOfFile } from './issue-file'
import { withIssueFileLock } from './issue-file-lock'

/** Names of an existing file, the first that is there in a folder. */
const OWN = '.lodeline/issues.jsonl'
/** In a `.beads` folder. */
const BEADS = ['issues.jsonl', 'beads.jsonl'] as const

export interface IssueFilesOptions {
  hostName: string
  /** `LODELINE_HOME`, which is no project's folder. */
  home: string
  /** Folders of the projects for which bd may be run, absolute; `issues.bd`. */
  bd: readonly string[]
  /** Of this process. */
  env?: Readonly<Record<string, string | undefined>>
  bdLimits?: Partial<BdLimits>
}

/** Files of issues on this machine. */
export function createIssueFiles({ hostName, home, bd, env = process.env, bdLimits }: IssueFilesOptions): IssueFiles {
  const keepers = new Map<string, IssueKeeper>()
  return {
    hostName,
    locate: (dir) => locate(dir, home),
    stamp: stampOfFile,
    read: readIssueFile,
    readOnly,
    keeper(path) {
      const beads = dirname(path)
      // bd does what a project's `.beads` says: it runs the programs in `hooks` and calls the servers in `metadata.json`. So a person
      // names the projects for which it may be run, and no look at a folder is enough.
      if (!isChosen(beads, bd) || basename(beads) !== '.beads' || databaseOf(beads) === null) return null
      const keeper = keepers.get(beads) ?? createBdKeeper({ beads, env, ...(bdLimits && { limits: bdLimits }) })
      keepers.set(beads, keeper)
      return keeper
    },
    hash: (bytes) => Bun.hash.xxHash3(bytes).toString(16),
    prepare(path, parts) {
      const refusal = readOnly(path)
      if (refusal !== null) throw refusal
      return replaceIssueFile(path, parts)
    },
    lock: (path, work) => {
      try {
        mkdirSync(dirname(path), { recursive: true })
      } catch (error) {
        throw fileError(error, path)
      }
      return withIssueFileLock(path, work)
    },
  }
}

/**
 * From the folder up to its repository's, then above that. In a linked work tree the main one's file is meant: agents that work side
 * by side share one tracker.
 */
function locate(dir: string, home: string): IssuePlace {
  if (!isAbsolute(dir) || dir.includes('\0')) throw new AppError('invalid', '`dir` is not an absolute path.')
  let folder: string
  try {
    folder = realpathSync(dir)
    if (!statSync(folder).isDirectory()) folder = dirname(folder)
  } catch {
    throw new AppError('not_found', `There is no folder ${dir.slice(0, 500)}.`, {
      hint: 'Give a folder on the machine of the server.',
    })
  }
  const { root } = projectOf(folder)
  const isBelow = !relative(root, folder).startsWith('..')
  for (let at = isBelow ? folder : root; ; at = dirname(at)) {
    const found = fileOf(at, home)
    if (found !== null) return found
    if (dirname(at) === at) break
  }
  const own = join(root, '.lodeline')
  return { path: join(isSameFolder(own, home) ? join(home, 'issues') : own, 'issues.jsonl'), isBeads: false }
}

function fileOf(folder: string, home: string): IssuePlace | null {
  const own = join(folder, OWN)
  if (!isSameFolder(dirname(own), home) && isFile(own))
    return { path: join(realpathSync(dirname(own)), basename(own)), isBeads: false }
  const named = join(folder, '.beads')
  if (statSync(named, { throwIfNoEntry: false })?.isDirectory() !== true) return null
  const beads = redirected(named)
  const name = BEADS.find((each) => isFile(join(beads, each)))
  // A database is the tracker, also where nobody exported it: a file of ours beside it would be a second one.
  if (name === undefined && databaseOf(beads) === null) return null
  return { path: join(realpathSync(beads), name ?? BEADS[0]), isBeads: true }
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true

/** Issues that a database of bd keeps are read from its export, and changed by nobody but bd: it would never see what we write. */
function readOnly(path: string): AppError | null {
  const beads = dirname(path)
  const database = basename(beads) === '.beads' ? databaseOf(beads) : null
  if (database === null) return null
  return new AppError(
    'conflict',
    `bd keeps the issues of ${beads} in a ${database} database: lode only reads its export.`,
    {
      hint: `Change them with bd (bd create, bd update, bd close), or install bd if it is missing. \`bd export -o ${path}\` updates the export. To let lode run bd, add ${dirname(beads)} to the setting issues.bd.`,
      details: { path, database },
    },
  )
}

/** @param beads  links resolved */
function isChosen(beads: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    try {
      return isInside(beads, realpathSync(folder))
    } catch {
      return false
    }
  })
}

function isSameFolder(path: string, home: string): boolean {
  try {
    return realpathSync(path) === realpathSync(home)
  } catch {
    return path === home
  }
}
