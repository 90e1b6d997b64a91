import { mkdirSync, realpathSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { AppError } from '../../domain/errors'
import type { IssueKeeper } from '../../engine/issues/kept/issue-keeper'
import type { IssueFiles } from '../../engine/issues/trackers/issue-files'
import { isWithin } from '../../util/files/is-within'
import { type BdLimits, createBdKeeper } from '../bd/bd-keeper'
import { databaseOf } from './beads-keeper'
import { fileError, readIssueFile, replaceIssueFile, stampOfFile } from './issue-file'
import { withIssueFileLock } from './issue-file-lock'
import { assertUnmoved, locateIssues } from './issue-place'

export interface IssueFilesOptions {
  hostName: string
  /** `LODELINE_HOME`, which is no project's folder. */
  home: string
  /** Folders of the projects for which bd may be run, absolute; `issues.bd`. */
  bd: readonly string[]
  /** This process's environment. */
  env?: Readonly<Record<string, string | undefined>>
  bdLimits?: Partial<BdLimits>
  /** User whose trackers are used; default: that of this process. */
  uid?: number | undefined
}

/** Files of issues on this machine. */
export function createIssueFiles({
  hostName,
  home,
  bd,
  env = process.env,
  bdLimits,
  uid = process.geteuid?.(),
}: IssueFilesOptions): IssueFiles {
  const keepers = new Map<string, IssueKeeper>()
  return {
    hostName,
    locate: (dir) => locateIssues(dir, home, { uid, env }),
    stamp: stampOfFile,
    read(path) {
      assertUnmoved(path)
      return readIssueFile(path)
    },
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
      assertUnmoved(path)
      return replaceIssueFile(path, parts)
    },
    lock: (path, work) => {
      assertUnmoved(path)
      try {
        mkdirSync(dirname(path), { recursive: true })
      } catch (error) {
        throw fileError(error, path)
      }
      return withIssueFileLock(path, work)
    },
  }
}

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
      return isWithin(beads, realpathSync(folder))
    } catch {
      return false
    }
  })
}
