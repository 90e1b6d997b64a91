import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { HarnessDatabase, RowJournals, RowLook } from '../../../domain/harness/harness-database'
import { DocumentJournals } from './document-journals'
import { DatabaseJournals } from './journals'
import { projectFolders } from './read-documents'

const DATABASE = 'opencode.db'
const STORAGE = 'storage'
/** Bytes of an exported session that are read. */
const EXPORT_LIMIT = 512 * 1_024 * 1_024

/** The database of opencode 1.x, and what older releases kept as documents. Not those of 2.x: a message says so. */
export const opencodeDatabase: HarnessDatabase = {
  recognises(path) {
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats?.isDirectory()) return isStorage(path) || hasConversations(path)
    if (!stats?.isFile()) return false
    if (isSqlite(path)) return /opencode[^/\\]*\.db$/.test(path)
    return path.endsWith('.json') && stats.size < EXPORT_LIMIT && isExport(path)
  },

  open(source, folder) {
    const stats = statSync(source, { throwIfNoEntry: false })
    if (stats?.isFile() && !isSqlite(source)) return new DocumentJournals(dirname(source), source, folder)
    if (stats?.isFile()) return new DatabaseJournals(dirname(source), source, folder)
    if (basename(source) === STORAGE && stats !== undefined) return new DocumentJournals(source, source, folder)
    return new FolderJournals(source, folder)
  },
}

/** Milliseconds between two looks at documents beside a database: the CLI leaves them there when it takes them over. */
const DOCUMENTS_MS = 30_000

/** A configuration folder has a database, or documents of an older release, or both. */
class FolderJournals implements RowJournals {
  readonly watched: string
  readonly #rows: RowJournals
  readonly #documents: RowJournals
  #documentsAt = 0

  constructor(root: string, folder: string) {
    this.watched = root
    this.#rows = new DatabaseJournals(root, join(root, DATABASE), join(folder, 'rows'))
    this.#documents = new DocumentJournals(root, join(root, STORAGE), join(folder, 'documents'))
  }

  async look(): Promise<RowLook> {
    const found = await this.#rows.look()
    const now = Date.now()
    if (now < this.#documentsAt) return found
    this.#documentsAt = now + DOCUMENTS_MS
    const old = await this.#documents.look()
    return { ...found, paths: [...found.paths, ...old.paths] }
  }

  close(): void {
    this.#rows.close()
    this.#documents.close()
  }
}

const isStorage = (path: string): boolean =>
  basename(path) === STORAGE && statSync(join(path, 'session'), { throwIfNoEntry: false })?.isDirectory() === true

/** Whether a configuration folder has conversations of any release. */
const hasConversations = (path: string): boolean =>
  statSync(join(path, DATABASE), { throwIfNoEntry: false })?.isFile() === true ||
  isStorage(join(path, STORAGE)) ||
  projectFolders(join(path, STORAGE)).some(isStorage)

const SQLITE_HEAD = /^SQLite format 3\0/
const isSqlite = (path: string): boolean => SQLITE_HEAD.test(headOf(path))
const isExport = (path: string): boolean => /^\s*\{\s*"info"\s*:/.test(headOf(path))

/** The first bytes of a file; '' = it can't be read. */
function headOf(path: string): string {
  try {
    const fd = openSync(path, 'r')
    try {
      const head = Buffer.alloc(100)
      return head.toString('latin1', 0, readSync(fd, head, 0, head.length, 0))
    } finally {
      closeSync(fd)
    }
  } catch {
    return ''
  }
}
