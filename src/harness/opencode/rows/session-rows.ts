import { join } from 'node:path'
import { MINUTE_MS } from '../../../domain/time-units'
import { recordOf, textOf } from '../../json-lines/json-value'
import { RowJournal } from './row-journal'
import { type GoneRow, lineOfGone, lineOfRow, type Row } from './row-line'
import type { RowSource } from './row-source'

/** Bytes of lines that are written together. */
const WRITE_BYTES = 1_024 * 1_024
/** How long a running tool's next version is left out, in milliseconds; twice as long after each, up to the second number. */
const RUNNING_MS = [500, MINUTE_MS] as const

/** The session of the file: a session that another one launched stands in the folder of the one at the top. */
export interface SessionPlace {
  id: string
  root: string
  /** Milliseconds at which the session began. */
  born: number | null
}

/** Takes the rows of one session over into its journal. */
export class SessionRows {
  readonly place: SessionPlace
  /** Milliseconds of the last change that was seen; of this process's clock. */
  changedAt = 0
  /** All of its rows are to be compared. */
  isDue = true
  /** The signature of its own row when all of them were. */
  compared: string | null = null
  readonly path: string
  readonly #running = new Map<string, { status: string; at: number; waitMs: number }>()
  #journal: RowJournal | null = null

  constructor(folder: string, place: SessionPlace) {
    this.place = place
    this.path = join(folder, place.root, `${place.id}.jsonl`)
  }

  /**
   * @param since  see `RowSource.rowsOf`
   * @returns the journal's path when it grew, and whether a version was left out that is to be taken later
   */
  async take(source: RowSource, since: number | null, now: number, pause: () => Promise<void>): Promise<Taken> {
    const taken: Taken = { path: null, isPartial: false }
    let lines: string[] = []
    let bytes = 0
    const flush = (): void => {
      if (lines.length > 0 && this.#append(lines)) taken.path = this.path
      lines = []
      bytes = 0
    }
    const { known, isForgotten } = this.#open()
    if (isForgotten) return taken
    try {
      for (const row of source.rowsOf(this.place.id, known, since)) {
        if ('columns' in row && since !== null && this.#isHeldBack(row, now)) {
          taken.isPartial = true
          continue
        }
        const line = textOfRow(row, this.place.born)
        lines.push(line)
        bytes += line.length
        if (bytes > WRITE_BYTES) flush()
        await pause()
      }
    } finally {
      // Also where the next row is damaged.
      flush()
    }
    return taken
  }

  /** Forgets what stands in the journal, which is read again when it is needed. */
  rest(): void {
    this.#journal = null
    this.#running.clear()
  }

  #open(): RowJournal {
    this.#journal ??= RowJournal.load(this.path)
    return this.#journal
  }

  #append(lines: readonly string[]): boolean {
    if (this.#open().append(lines)) return true
    // Somebody forgot the session, or removed the file: the next look compares anew.
    this.#journal = null
    this.isDue = true
    return false
  }

  /** A tool that prints all the time gives a version with all that it printed, ten times a second. */
  #isHeldBack({ table, id, columns }: Row, now: number): boolean {
    if (table !== 'part') return false
    const status = statusOf(columns.data)
    const last = this.#running.get(id)
    if (status !== 'running') {
      this.#running.delete(id)
      return false
    }
    if (last?.status === status && now - last.at < last.waitMs) return true
    const [first, most] = RUNNING_MS
    this.#running.set(id, { status, at: now, waitMs: last === undefined ? first : Math.min(last.waitMs * 2, most) })
    return false
  }
}

export interface Taken {
  path: string | null
  isPartial: boolean
}

const textOfRow = (row: Row | GoneRow, born: number | null): string =>
  'columns' in row ? lineOfRow(row, born) : lineOfGone(row)

function statusOf(data: unknown): string | undefined {
  if (typeof data !== 'string' || !data.includes('"running"')) return undefined
  try {
    return textOf(recordOf(recordOf(JSON.parse(data))?.state)?.status)
  } catch {
    return undefined
  }
}
