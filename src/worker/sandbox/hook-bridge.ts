import { closeSync, constants, fstatSync, mkdirSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs'
import { appendLine } from '../../util/append-line'
import { currentHookJournal, hookJournalFolder, listHookJournals, parseHookLine } from '../../util/hook-journal'

/** Bytes of one file. A run that reports more is of no use to the record. */
const MOST_BYTES = 256 * 2 ** 20

/**
 * Brings what the hooks of a sandboxed run reported to the host's hook journal, which the run can't reach: only whole lines that are
 * hook reports. How far it came stands beside them, so that a later process goes on there.
 */
export class HookBridge {
  readonly #folder: string
  readonly #progress: string
  readonly #journal: string

  /** @param folder  where the run's hooks report; @param progress  a file of the worker's */
  constructor(folder: string, progress: string, home: string) {
    this.#folder = folder
    this.#progress = progress
    this.#journal = hookJournalFolder(home)
  }

  /** @throws the system's error when the run put something else there, or the journal can't be written */
  bring(): void {
    const done = this.#readProgress()
    for (const { path, number } of listHookJournals(this.#folder)) {
      for (const line of wholeLines(path, done[number] ?? 0)) {
        if (parseHookLine(line) !== null) this.#append(line)
        done[number] = (done[number] ?? 0) + line.length
        writeFileSync(this.#progress, JSON.stringify(done), { mode: 0o600 })
      }
    }
  }

  #append(line: Uint8Array): void {
    mkdirSync(this.#journal, { recursive: true, mode: 0o700 })
    // A file that was ended between the look and the write is followed by the next.
    if (!appendLine(currentHookJournal(this.#journal), line)) appendLine(currentHookJournal(this.#journal), line)
  }

  /** By the number of the file. */
  #readProgress(): Record<number, number> {
    try {
      const value: unknown = JSON.parse(readFileSync(this.#progress, 'utf8'))
      return typeof value === 'object' && value !== null ? (value as Record<number, number>) : {}
    } catch {
      return {}
    }
  }
}

/** Lines from an offset on, newlines included. The file is the run's: it may be anything, a link or a pipe as well. */
function wholeLines(path: string, from: number): Uint8Array[] {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const stat = fstatSync(file)
    const rest = stat.isFile() ? Math.min(stat.size, MOST_BYTES) - from : 0
    if (rest <= 0) return []
    const bytes = Buffer.alloc(rest)
    const length = readSync(file, bytes, 0, rest, from)
    const lines: Uint8Array[] = []
    for (let at = 0; at < length; ) {
      const end = bytes.indexOf(10, at)
      if (end < 0 || end >= length) break
      lines.push(bytes.subarray(at, end + 1))
      at = end + 1
    }
    return lines
  } finally {
    closeSync(file)
  }
}
