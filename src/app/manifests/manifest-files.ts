/** The daily files of launches in the background, under Lodeline's folder. */
import { closeSync, constants, fstatSync, mkdirSync, openSync, readdirSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ManifestLine } from '../../domain/recall/manifest'
import { DAY_MS } from '../../domain/time-units'
import { keyOfText } from '../../engine/recovery/manifest'
import { appendLine } from '../../util/append-line'
import { dropSession } from './manifest-forget'

const READ_BYTES = 256 * 1_024
/** No line of ours is longer; what is, is passed over. */
const MAX_LINE = 64 * 1_024

export const manifestFolder = (home: string): string => join(home, 'agent-manifests')

/** The day's file by UTC. */
export const dayFile = (at: number): string => `background-agents-${new Date(at).toISOString().slice(0, 10)}.jsonl`

/** A line as it stands in a file. JSON escapes line breaks; two separators that some readers break at are escaped too. */
export const lineBytes = (line: ManifestLine): Uint8Array =>
  Buffer.from(`${JSON.stringify(line).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`)

/** Appends to the day's file and knows which lines stand there, by whomever they were written. */
export class ManifestFiles {
  private readonly folder: string
  private readonly read = new Map<string, DayLines>()

  constructor(home: string) {
    this.folder = manifestFolder(home)
  }

  /** Whether one of the days' files has such a line. Reads what is new in them. @param days  instants within the days */
  has(key: string, days: readonly number[]): boolean {
    return [...new Set(days.map(dayFile))].some((name) => this.linesOf(name).has(key))
  }

  /** @throws the system's error when the file can't be written */
  append(line: ManifestLine, at: number): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    const path = join(this.folder, dayFile(at))
    // A file that lost its name meanwhile was removed by a person: the line goes into a new one.
    if (!appendLine(path, lineBytes(line))) appendLine(path, lineBytes(line))
  }

  /** Removes files of days that ended more than `days` days ago. */
  removeOld(days: number, now: number): void {
    const oldest = dayFile(now - days * DAY_MS)
    for (const name of names(this.folder)) {
      if (!/^background-agents-\d{4}-\d\d-\d\d\.jsonl$/.test(name) || name >= oldest) continue
      rmSync(join(this.folder, name), { force: true })
      this.read.delete(name)
    }
  }

  /** Takes a forgotten session's lines out of all files. @throws the system's error */
  forget(session: string): void {
    for (const name of names(this.folder)) if (name.endsWith('.jsonl')) dropSession(join(this.folder, name), session)
    this.read.clear()
  }

  private linesOf(name: string): DayLines {
    let lines = this.read.get(name)
    if (lines === undefined) {
      // Few days are ever requested: older ones are dropped, and read again if necessary.
      if (this.read.size >= 4) this.read.clear()
      lines = new DayLines(join(this.folder, name))
      this.read.set(name, lines)
    }
    lines.refresh()
    return lines
  }
}

/** The keys of a file's lines, read as far as it has grown. */
class DayLines {
  private readonly path: string
  private keys = new Set<string>()
  private offset = 0
  private inode = 0
  private rest = Buffer.alloc(0)

  constructor(path: string) {
    this.path = path
  }

  has(key: string): boolean {
    return this.keys.has(key)
  }

  refresh(): void {
    let file: number
    try {
      file = openSync(this.path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    } catch {
      this.reset()
      return
    }
    try {
      const { size, ino } = fstatSync(file)
      if (ino !== this.inode || size < this.offset) this.reset()
      this.inode = ino
      while (this.offset < size && this.take(file)) {}
    } finally {
      closeSync(file)
    }
  }

  private take(file: number): boolean {
    const bytes = Buffer.alloc(READ_BYTES)
    const count = readSync(file, bytes, 0, bytes.length, this.offset)
    this.offset += count
    const all = Buffer.concat([this.rest, bytes.subarray(0, count)])
    let from = 0
    for (let end = all.indexOf(10, from); end >= 0; end = all.indexOf(10, from)) {
      const key = end - from > MAX_LINE ? null : keyOfText(all.toString('utf8', from, end))
      if (key !== null) this.keys.add(key)
      from = end + 1
    }
    const rest = all.subarray(from)
    this.rest = Buffer.from(rest.length > MAX_LINE ? rest.subarray(0, MAX_LINE + 1) : rest)
    return count > 0
  }

  private reset(): void {
    this.keys = new Set()
    this.offset = 0
    this.inode = 0
    this.rest = Buffer.alloc(0)
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
