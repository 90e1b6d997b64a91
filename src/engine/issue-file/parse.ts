import type { FullIssue } from '../../domain/issue/issue'
import type { BadLine, IssueLine, KeptLine, ParsedIssueFile } from '../../domain/issue/issue-file'
import { issueTimeNanos } from '../../domain/issue/issue-time'
import { decodeIssue, idProblem } from './decode'
import { withoutMark } from './encode'
import { isObject, isTooDeep } from './json-text'
import { noticesOf, settleMirroredEdges } from './notices'
import { styleOf } from './style'

/**
 * Reads the git-tracked file, of any era and in any state: good lines are read, all others are kept with their places.
 *
 * When an issue is there more than once the newest copy counts (of equally new ones the last); the others are kept as lines.
 * Never throws: what is wrong is in `bad` and `notices`.
 *
 * @param text  the whole file; bytes that are no UTF-8 come as lone surrogates (`decodeFile`)
 */
export function parseIssueFile(text: string, { isBeads }: { isBeads: boolean }): ParsedIssueFile {
  const found: IssueLine[] = []
  const kept: KeptLine[] = []
  const bad: BadLine[] = []
  const places = new Map<string, number>()
  const copies = new Map<string, number[]>()
  const tombstones: { at: number; deletedAt: string }[] = []

  const isWhole = text.isWellFormed()

  for (let line = 1, start = 0; start < text.length; line++) {
    const newline = text.indexOf('\n', start)
    const raw = text.slice(start, newline < 0 ? text.length : newline)
    start += raw.length + 1
    const read = readLine(raw, line, isWhole)
    if ('reason' in read) bad.push(read)
    else if ('kind' in read) {
      kept.push(read)
      if (read.kind === 'tombstone' && read.id !== null) {
        tombstones.push({ at: kept.length - 1, deletedAt: read.deletedAt })
      }
    } else {
      const id = read.issue.id
      const at = places.get(id)
      if (at === undefined) places.set(id, found.push(read) - 1)
      else {
        const other = found[at] as IssueLine
        copies.set(id, [...(copies.get(id) ?? [other.line]), line])
        const isNewer = isOlderOrEqual(other.issue, read.issue)
        kept.push(duplicate(isNewer ? other : read))
        if (isNewer) found[at] = read
      }
    }
  }

  const buried = new Map<string, number>()
  for (const { at, deletedAt } of tombstones) {
    const { id, line } = kept[at] as KeptLine
    const place = places.get(id ?? '')
    const issue = place === undefined ? undefined : found[place]
    if (issue === undefined || (issueTimeNanos(deletedAt) ?? 0n) < (issueTimeNanos(issue.issue.updatedAt) ?? 0n))
      continue
    buried.set(issue.issue.id, line)
  }
  const issues = found.filter(({ issue }) => !buried.has(issue.id))
  kept.push(...found.filter(({ issue }) => buried.has(issue.id)).map(duplicate))
  // Winners of duplicates stand where they were written.
  if (copies.size > 0) issues.sort((a, b) => a.line - b.line)
  kept.sort((a, b) => a.line - b.line)

  const all = issues.map(({ issue }) => issue)
  settleMirroredEdges(issues)
  const style = styleOf(text, sampleOf(issues), all, isBeads)
  return {
    issues,
    kept: kept.map(({ raw, line, kind, id }) => ({ raw, line, kind, id })),
    bad,
    notices: noticesOf(issues, bad, copies, buried),
    style,
  }
}

type Tombstone = KeptLine & { kind: 'tombstone'; deletedAt: string }

function readLine(
  raw: string,
  line: number,
  isWhole: boolean,
): IssueLine | (KeptLine & { kind: Exclude<KeptLine['kind'], 'tombstone'> }) | Tombstone | BadLine {
  if (raw.trim() === '') return { raw, line, kind: 'blank', id: null }
  if (/^(?:<{7}|={7}|>{7}|\|{7})(?:[ \r]|$)/.test(raw)) return { raw, line, reason: 'a marker of a merge conflict' }
  if (!isWhole && !raw.isWellFormed()) return { raw, line, reason: 'it is not UTF-8' }
  let value: unknown
  try {
    value = JSON.parse(withoutMark(raw))
  } catch {
    return { raw, line, reason: 'it is not JSON; it may be truncated' }
  }
  if (isTooDeep(raw)) return { raw, line, reason: 'it is nested too deeply' }
  if (!isObject(value)) return { raw, line, reason: 'it is not a JSON object' }
  const id = typeof value.id === 'string' ? value.id : null
  if (id === null && '_schema' in value) return { raw, line, kind: 'header', id }
  if (typeof value._type === 'string' && value._type !== 'issue') {
    return { raw, line, kind: 'other', id: id ?? (typeof value.key === 'string' ? value.key : null) }
  }
  const problem = idProblem(value.id)
  if (problem !== null) return { raw, line, reason: problem }
  if (value.status === 'tombstone') {
    const deletedAt = [value.deleted_at, value.updated_at].find((at) => typeof at === 'string') as string | undefined
    return { raw, line, kind: 'tombstone', id, deletedAt: deletedAt ?? '' }
  }
  return { issue: decodeIssue(value), raw, line }
}

function duplicate({ issue, raw, line }: IssueLine): KeptLine {
  return { raw, line, kind: 'duplicate', id: issue.id }
}

function isOlderOrEqual(a: FullIssue, b: FullIssue): boolean {
  return (issueTimeNanos(a.updatedAt) ?? 0n) <= (issueTimeNanos(b.updatedAt) ?? 0n)
}

function sampleOf(issues: readonly IssueLine[]): string[] {
  const [first] = issues
  const last = issues.at(-1)
  return first === undefined || last === undefined ? [] : [first.raw, last.raw]
}
