import type { FileStyle } from '../../domain/issue-file'
import { decodeIssue, idProblem } from './decode'
import { isObject } from './json-text'
import { compareInOrder } from './style'

/** One line to be put in, replaced or taken out. */
export interface LinePatch {
  id: string
  /** The line as it stands in the file, without the newline; `null` = it is new. */
  before: string | null
  /** `null` = it goes. */
  after: string | null
}

/**
 * Changes a few lines of a file without reading the others: a change of one issue in ten thousand costs as much as copying the file.
 *
 * @returns the new file in parts, to be written one after another; parts of `file` are views of it. `null` = this way can't be
 * sure (a line is not there exactly once, the file has no last newline): use `writeIssueFile`.
 */
export function patchIssueFile(file: Uint8Array, style: FileStyle, patches: readonly LinePatch[]): Uint8Array[] | null {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
  if (bytes.length > 0 && bytes[bytes.length - 1] !== NEWLINE) return null
  const places: { from: number; to: number; text: string }[] = []
  for (const { before, after } of patches) {
    const text = after === null ? '' : `${after}\n`
    if (before === null) {
      const at = after === null ? null : placeOf(bytes, after, style)
      if (at === null) return null
      places.push({ from: at, to: at, text })
      continue
    }
    const from = lineStart(bytes, before)
    if (from === null) return null
    places.push({ from, to: from + Buffer.byteLength(before) + 1, text })
  }
  // Of lines for one place the order is theirs.
  const sorted = places.map((place, at) => ({ ...place, at })).sort((a, b) => a.from - b.from || a.at - b.at)
  const parts: Uint8Array[] = []
  let done = 0
  for (const { from, to, text } of sorted) {
    if (from < done) return null
    if (from > done) parts.push(bytes.subarray(done, from))
    if (text !== '') parts.push(Buffer.from(text))
    done = to
  }
  if (done < bytes.length) parts.push(bytes.subarray(done))
  return parts
}

const NEWLINE = 0x0a

/** Where the line begins that is `raw`; `null` = it is not there, or twice. */
function lineStart(bytes: Buffer, raw: string): number | null {
  const line = Buffer.from(`${raw}\n`)
  let found: number | null = null
  for (let at = bytes.indexOf(line); at >= 0; at = bytes.indexOf(line, at + 1)) {
    if (at > 0 && bytes[at - 1] !== NEWLINE) continue
    if (found !== null) return null
    found = at
  }
  return found
}

/** Where a new line goes, by halving: a dozen lines are read. `null` = one of them can't be. */
function placeOf(bytes: Buffer, raw: string, { order }: FileStyle): number | null {
  if (order === 'none') return bytes.length
  const issue = read(raw)
  if (issue === null) return null
  let [low, high] = [0, bytes.length]
  while (low < high) {
    const middle = bytes.lastIndexOf(NEWLINE, Math.max(low, ((low + high) >> 1) - 1)) + 1
    const start = Math.max(low, middle)
    if (start >= high) return null
    const end = bytes.indexOf(NEWLINE, start)
    const other = read(bytes.toString('utf8', start, end))
    if (other === null) return null
    const comparison = compareInOrder(order, issue, other)
    if (comparison === 0 && issue.id === other.id) return null
    if (comparison < 0) high = start
    else low = end + 1
  }
  return low
}

function read(raw: string) {
  try {
    const value: unknown = JSON.parse(raw)
    return isObject(value) && idProblem(value.id) === null && value.status !== 'tombstone' ? decodeIssue(value) : null
  } catch {
    return null
  }
}
