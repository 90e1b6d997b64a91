import type { FullIssue } from '../../domain/issue/issue'
import type { FileStyle } from '../../domain/issue/issue-file'
import { decodeIssue } from '../issue-file/decode'
import { withoutMark } from '../issue-file/encode'
import { isObject } from '../issue-file/json-text'
import { compareInOrder } from '../issue-file/style'

/** A line that is to stand in the file. */
export interface LinePatch {
  id: string
  /** The line that it takes the place of; `null` = the file has none. */
  old: string | null
  raw: string
  /** Decides where a new line goes; `null` = to the end. */
  issue: FullIssue | null
}

const NEWLINE = 10

/**
 * The file's bytes with some lines replaced and some added, as parts to be written one after another. Only the lines in question are
 * looked at: with 10,000 issues this is a search through bytes where reading the file would be most of a command's time.
 */
export function patchLines(bytes: Uint8Array, patches: readonly LinePatch[], style: FileStyle): Uint8Array[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const cuts: { from: number; to: number; text: string }[] = []
  const added: LinePatch[] = []
  for (const patch of patches) {
    const place = patch.old === null ? null : findLine(buffer, patch.id, patch.old)
    if (place === null) added.push(patch)
    else cuts.push({ ...place, text: patch.raw })
  }
  // Several at one place go in the file's order; so a list of new lines is itself in order.
  if (style.order !== 'none')
    added.sort((a, b) => (a.issue && b.issue ? compareInOrder(style.order, a.issue, b.issue) : 0))
  for (const { raw, issue } of added) {
    const at = issue === null ? buffer.length : placeOf(buffer, issue, style)
    const isOpen = at === buffer.length && buffer.length > 0 && buffer[buffer.length - 1] !== NEWLINE
    cuts.push({ from: at, to: at, text: isOpen ? `\n${raw}` : `${raw}\n` })
  }
  return assemble(buffer, cuts)
}

function assemble(buffer: Buffer, cuts: { from: number; to: number; text: string }[]): Uint8Array[] {
  const inOrder = cuts
    .map((cut, rank) => ({ ...cut, rank }))
    .sort((a, b) => a.from - b.from || a.to - b.to || a.rank - b.rank)
  const parts: Uint8Array[] = []
  let at = 0
  for (const { from, to, text } of inOrder) {
    if (from > at) parts.push(buffer.subarray(at, from))
    parts.push(Buffer.from(text))
    at = Math.max(at, to)
  }
  if (at < buffer.length) parts.push(buffer.subarray(at))
  return parts
}

/** Where the line stands, without its newline; the very line where there are several of the id. */
function findLine(buffer: Buffer, id: string, old: string): { from: number; to: number } | null {
  const wanted = Buffer.from(old)
  for (let at = buffer.indexOf(wanted); at >= 0; at = buffer.indexOf(wanted, at + 1)) {
    const to = at + wanted.length
    const isWhole = (at === 0 || buffer[at - 1] === NEWLINE) && (to === buffer.length || buffer[to] === NEWLINE)
    if (isWhole) return { from: at, to }
  }
  // Not byte for byte as it is known here: found by its id.
  const name = Buffer.from(JSON.stringify(id))
  for (let at = buffer.indexOf(name); at >= 0; at = buffer.indexOf(name, at + 1)) {
    const line = lineAround(buffer, at)
    if (issueOf(buffer, line)?.id === id) return line
    at = line.to
  }
  return null
}

function lineAround(buffer: Buffer, at: number): { from: number; to: number } {
  const from = buffer.lastIndexOf(NEWLINE, at - 1) + 1
  const newline = buffer.indexOf(NEWLINE, at)
  return { from: at === 0 ? 0 : from, to: newline < 0 ? buffer.length : newline }
}

/** The issue of a line; `undefined` = it is none, or can't be read. */
function issueOf(buffer: Buffer, { from, to }: { from: number; to: number }): FullIssue | undefined {
  try {
    const value: unknown = JSON.parse(withoutMark(buffer.toString('utf8', from, to)))
    return isObject(value) && typeof value.id === 'string' ? decodeIssue(value) : undefined
  } catch {
    return undefined
  }
}

/** The byte at which a new line goes: halves the file, so that a handful of lines is read. */
function placeOf(buffer: Buffer, issue: FullIssue, { order }: FileStyle): number {
  if (order === 'none') return buffer.length
  let [low, high] = [0, buffer.length]
  while (low < high) {
    let line = lineAround(buffer, Math.floor((low + high) / 2))
    // A line that is no issue says nothing about the order: the next one that is.
    let found = issueOf(buffer, line)
    const first = line
    while (found === undefined && line.to + 1 < high) {
      line = lineAround(buffer, line.to + 1)
      found = issueOf(buffer, line)
    }
    if (found === undefined || line.from >= high) high = Math.max(low, first.from)
    else if (compareInOrder(order, issue, found) < 0) high = first.from
    else low = Math.min(line.to + 1, buffer.length)
  }
  return low
}
