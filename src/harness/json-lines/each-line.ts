import type { JsonRecord } from './json-value'
import { isRecord } from './json-value'

/** One record and its place; `offset` counts from the start of the bytes given. */
export interface RecordLine {
  record: JsonRecord
  offset: number
  /** Bytes, without the newline. */
  length: number
}

/** A line, or the part of one, that holds no record. */
export interface BrokenLine {
  offset: number
  length: number
  reason: string
}

export interface LineSink {
  onRecord(line: RecordLine): void
  onBroken(line: BrokenLine): void
}

/** How the records of one agent CLI look: tells a record that is glued onto half a line from an object inside of one. */
export interface RecordLook {
  /** Whether what begins here may be a record: cheap, and asked of each `{"` in a broken line. */
  begins(line: Buffer, at: number): boolean
  isPlausible(record: JsonRecord): boolean
}

const NEWLINE = 10
const CARRIAGE_RETURN = 13
const OPEN_BRACE = 0x7b
const QUOTE = 0x22

/**
 * Gives every whole line to `sink`, in order; empty lines are nothing.
 *
 * A crash can leave half a line, onto which the next record is glued. Such a line gives the half as broken, and the record.
 *
 * @returns bytes consumed: up to and including the last newline.
 */
export function eachLine(bytes: Uint8Array, look: RecordLook, sink: LineSink): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let start = 0
  for (;;) {
    const newline = buffer.indexOf(NEWLINE, start)
    if (newline === -1) return start
    const end = newline > start && buffer[newline - 1] === CARRIAGE_RETURN ? newline - 1 : newline
    if (end > start) readLine(buffer, start, end, look, sink, 0)
    start = newline + 1
  }
}

/** Records glued to one another in one line; more than these are left broken. */
const GLUE_LIMIT = 8

function readLine(buffer: Buffer, start: number, end: number, look: RecordLook, sink: LineSink, glued: number): void {
  const length = end - start
  const value = parse(buffer, start, end)
  if (isRecord(value)) {
    sink.onRecord({ record: value, offset: start, length })
  } else if (value !== undefined) {
    sink.onBroken({ offset: start, length, reason: 'not a JSON object' })
  } else if (!isBlank(buffer, start, end)) {
    const rescued = glued < GLUE_LIMIT ? findGluedRecord(buffer, start, end, look) : undefined
    if (rescued) {
      readLine(buffer, start, rescued.offset, look, sink, glued + 1)
      sink.onRecord(rescued)
    } else {
      const reason = glued === 0 ? 'not valid JSON' : 'half a line before the next record'
      sink.onBroken({ offset: start, length, reason })
    }
  }
}

/** How often a broken line is tried again from a later `{"`, from either end, and how many of those are looked at. */
const ATTEMPTS = 64
const CANDIDATES = 100_000
/** Bytes that the attempts from one end may decode together: four times the line, or this if that is more. */
const WORK_FLOOR = 4_000_000

/**
 * The last record of a broken line: the suffix that begins at a `{"`, parses, and is a plausible record. There is only one:
 * a suffix that begins within a record ends with a bracket too many. Costs linear time whatever the line holds.
 */
function findGluedRecord(buffer: Buffer, start: number, end: number, look: RecordLook): RecordLine | undefined {
  // Searched within the line alone: a search that ran on into other lines would make many short ones cost their square.
  const line = buffer.subarray(start, end)
  const found =
    tryFrom(line, 0, look, (at) => line.indexOf(OPEN_BRACE, at + 1)) ??
    tryFrom(line, line.length, look, (at) => (at === 0 ? -1 : line.lastIndexOf(OPEN_BRACE, at - 1)))
  return found && { ...found, offset: start + found.offset }
}

function tryFrom(line: Buffer, from: number, look: RecordLook, next: (at: number) => number): RecordLine | undefined {
  let work = Math.max(4 * line.length, WORK_FLOOR)
  let attempts = 0
  let at = from
  for (let candidate = 0; candidate < CANDIDATES && attempts < ATTEMPTS && work > 0; candidate++) {
    at = next(at)
    // At 0 it is the line itself, which did not parse.
    if (at <= 0) return undefined
    if (line[at + 1] !== QUOTE || !look.begins(line, at)) continue
    attempts++
    work -= line.length - at
    const record = parse(line, at, line.length)
    if (isRecord(record) && look.isPlausible(record)) return { record, offset: at, length: line.length - at }
  }
  return undefined
}

function parse(buffer: Buffer, start: number, end: number): unknown {
  try {
    // Invalid UTF-8 becomes U+FFFD in what is parsed; the bytes stay in the journal.
    return JSON.parse(buffer.toString('utf8', hasByteOrderMark(buffer, start) ? start + 3 : start, end))
  } catch {
    return undefined
  }
}

const hasByteOrderMark = (buffer: Buffer, at: number): boolean =>
  buffer[at] === 0xef && buffer[at + 1] === 0xbb && buffer[at + 2] === 0xbf

function isBlank(buffer: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const byte = buffer[i]
    if (byte !== 0x20 && byte !== 0x09 && byte !== CARRIAGE_RETURN) return false
  }
  return true
}
