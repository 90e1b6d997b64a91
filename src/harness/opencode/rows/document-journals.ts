import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { RowJournals, RowLook } from '../../../domain/harness/harness-database'
import { type ProcessLock, tryProcessLock } from '../../../util/process/process-lock'
import { ExportedSession, projectFolders, StorageFolder } from './read-documents'
import type { RowSource } from './row-source'
import { SessionIndex } from './session-index'
import { placesOf } from './session-places'
import { SessionRows } from './session-rows'

/** Milliseconds between two looks at a folder of documents. Releases that write them are of 2025. */
const AGAIN_MS = 30_000
/** Milliseconds of work before others have their turn. */
const SLICE_MS = 8

const NOTHING_NEW: RowLook = { paths: [], isBehind: false, againInMs: AGAIN_MS, problem: null }

/** The journals of what is kept as documents: the folder `storage` of old releases, or one file of `opencode export`. */
export class DocumentJournals implements RowJournals {
  readonly watched: string
  readonly #source: string
  readonly #folder: string
  #lock: ProcessLock | null = null
  #sliceEnd = 0

  constructor(watched: string, source: string, folder: string) {
    this.watched = watched
    this.#source = source
    this.#folder = folder
  }

  async look(): Promise<RowLook> {
    const source = sourceAt(this.#source)
    if (source === null) return { ...NOTHING_NEW, againInMs: null }
    const summaries = source.sessions()
    if (summaries.length === 0) return NOTHING_NEW
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    this.#lock ??= tryProcessLock(join(this.#folder, 'lock'))
    if (this.#lock === null) return NOTHING_NEW
    const index = new SessionIndex(this.#folder)
    const places = placesOf(summaries)
    const paths: string[] = []
    this.#sliceEnd = performance.now() + SLICE_MS
    for (const { id, signature } of summaries) {
      const place = places.get(id)
      if (place === undefined || index.has(id, signature)) continue
      const session = new SessionRows(this.#folder, place)
      const { path } = await session.take(source, null, Date.now(), () => this.#pause())
      if (path !== null) paths.push(path)
      index.set(id, signature)
    }
    index.save()
    return { ...NOTHING_NEW, paths }
  }

  close(): void {
    this.#lock?.release()
    this.#lock = null
  }

  async #pause(): Promise<void> {
    if (performance.now() < this.#sliceEnd) return
    await new Promise((done) => setImmediate(done))
    this.#sliceEnd = performance.now() + SLICE_MS
  }
}

function sourceAt(path: string): RowSource | null {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats?.isDirectory() || (stats === undefined && projectFolders(path).length > 0)) return new StorageFolder(path)
  return stats?.isFile() ? ExportedSession.of(readFileSync(path, 'utf8')) : null
}
