import type { FullIssue } from '../../domain/issue/issue'
import type {
  IssueLine,
  KeptLine,
  MergeDecision,
  MergedIssueFile,
  ParsedIssueFile,
} from '../../domain/issue/issue-file'
import { issueTimeNanos } from '../../domain/issue/issue-time'
import { decodeIssue } from './decode'
import { withoutMark } from './encode'
import { membersOf, objectText } from './json-text'
import { own } from './merge-json'
import { isSameLine, mergeLines } from './merge-line'
import { parseIssueFile } from './parse'
import { dependentCounts, joined, type Line, withAdded } from './write'

/** One issue of one version of the file. */
interface Entry {
  raw: string
  isTombstone: boolean
}

/**
 * Merges three versions of the file, issue by issue and field by field.
 *
 * Sets (labels, edges, comments) merge as sets; texts that both changed are both kept; closed wins over open unless it was reopened
 * later; else the newer side counts, and it is said. An issue that one side deleted and the other changed is kept. Conflict markers
 * of an earlier merge are resolved and never written; lines that can't be read are kept. Lines that no side changed keep their bytes.
 *
 * @param base  `null` = there is no common ancestor: then nothing counts as removed
 */
export function mergeIssueFiles(base: string | null, ours: string, theirs: string): MergedIssueFile {
  const hasMarkers = [ours, theirs].some((text) => /^(?:<{7}|={7}|>{7}|\|{7})(?:[ \r]|$)/m.test(text))
  if (!hasMarkers) {
    if (ours === theirs || base === theirs) return { text: ours, decisions: [] }
    if (base === ours) return { text: theirs, decisions: [] }
  }
  const mine = parseIssueFile(ours, { isBeads: true })
  const other = parseIssueFile(theirs, { isBeads: true })
  const was = base === null ? null : parseIssueFile(base, { isBeads: true })
  const decisions: MergeDecision[] = []
  const baseEntries = was === null ? new Map<string, Entry>() : entriesOf(was, new Map(), [])
  const mineEntries = entriesOf(mine, baseEntries, decisions)
  const otherEntries = entriesOf(other, baseEntries, decisions)

  const merged = new Map<string, Entry | null>()
  const byField = new Set<string>()
  for (const id of new Set([...mineEntries.keys(), ...otherEntries.keys()])) {
    const [b, o, t] = [baseEntries.get(id), mineEntries.get(id), otherEntries.get(id)]
    const entry = mergeEntry(id, b, o, t, mine, decisions)
    merged.set(id, entry)
    if (entry !== null && entry.raw !== o?.raw && entry.raw !== t?.raw) byField.add(id)
  }
  recount(merged, byField, mine)

  const lines = [...newHeader(mine, other), ...oursLines(mine, other, was, merged), ...theirsOther(mine, other, was)]
  const added: Line[] = []
  for (const id of otherEntries.keys()) {
    const entry = mineEntries.has(id) ? null : merged.get(id)
    if (entry) added.push({ raw: entry.raw, line: 0, issue: issueOf(entry.raw) })
  }
  const style = { ...mine.style, order: mine.style.order === other.style.order ? mine.style.order : 'none' } as const
  return { text: joined(withAdded(lines, added, style), style), decisions }
}

function issueOf(raw: string): FullIssue {
  return decodeIssue(JSON.parse(withoutMark(raw)) as Record<string, unknown>)
}

/** A side's issues by id. Copies that a conflict left in it are merged into one. */
function entriesOf(
  file: ParsedIssueFile,
  base: ReadonlyMap<string, Entry>,
  decisions: MergeDecision[],
): Map<string, Entry> {
  const entries = new Map<string, Entry>()
  for (const { raw, kind, id } of file.kept) {
    if (kind !== 'tombstone' || id === null) continue
    const known = entries.get(id)
    if (known === undefined || deletedAt(raw) >= deletedAt(known.raw)) entries.set(id, { raw, isTombstone: true })
  }
  for (const { issue, raw } of file.issues) entries.set(issue.id, { raw, isTombstone: false })
  if (!hasConflict(file)) return entries
  const ancestors = ancestorRanges(file)
  for (const copy of file.kept) {
    const entry = entries.get(copy.id ?? '')
    if (copy.kind !== 'duplicate' || entry === undefined || entry.isTombstone) continue
    if (ancestors.some(([from, to]) => copy.line > from && copy.line < to)) continue
    const before = base.get(copy.id ?? '')
    const result = mergeLines(before?.isTombstone === false ? before.raw : null, entry.raw, copy.raw, file.style)
    entries.set(copy.id ?? '', { raw: result.raw, isTombstone: false })
    decisions.push(...result.decisions)
  }
  return entries
}

function hasConflict(file: ParsedIssueFile): boolean {
  return file.bad.some(isMarker)
}

function isMarker({ raw }: { raw: string }): boolean {
  return /^(?:<{7}|={7}|>{7}|\|{7})(?:[ \r]|$)/.test(raw)
}

/** The parts of conflicts that show the ancestor (diff3 style): neither side says what stands there. */
function ancestorRanges(file: ParsedIssueFile): [number, number][] {
  const markers = file.bad.filter(isMarker)
  return markers.flatMap(({ raw, line }, at): [number, number][] => {
    const next = markers[at + 1]
    return raw.startsWith('|') && next !== undefined ? [[line, next.line]] : []
  })
}

function mergeEntry(
  id: string,
  base: Entry | undefined,
  ours: Entry | undefined,
  theirs: Entry | undefined,
  file: ParsedIssueFile,
  decisions: MergeDecision[],
): Entry | null {
  if (ours === undefined || theirs === undefined) {
    const left = ours ?? theirs
    if (left === undefined || base === undefined) return left ?? null
    if (left.isTombstone) return base.isTombstone ? null : left
    if (!base.isTombstone && isSameLine(base.raw, left.raw)) return null
    const taken = ours === undefined ? 'theirs' : 'ours'
    decisions.push({ id, field: '', taken, reason: 'one side deleted it, the other changed it: kept' })
    return left
  }
  if (ours.raw === theirs.raw) return ours
  if (ours.raw === base?.raw) return theirs
  if (theirs.raw === base?.raw) return ours
  if (ours.isTombstone && theirs.isTombstone) return deletedAt(ours.raw) >= deletedAt(theirs.raw) ? ours : theirs
  if (ours.isTombstone || theirs.isTombstone) return mergeDeletion(id, base, ours, theirs, decisions)
  const result = mergeLines(base === undefined || base.isTombstone ? null : base.raw, ours.raw, theirs.raw, file.style)
  decisions.push(...result.decisions)
  return { raw: result.raw, isTombstone: false }
}

function mergeDeletion(
  id: string,
  base: Entry | undefined,
  ours: Entry,
  theirs: Entry,
  decisions: MergeDecision[],
): Entry {
  const [tombstone, live] = ours.isTombstone ? [ours, theirs] : [theirs, ours]
  if (base !== undefined && !base.isTombstone && isSameLine(base.raw, live.raw)) return tombstone
  const isDead = base === undefined && deletedAt(tombstone.raw) >= (issueTimeNanos(issueOf(live.raw).updatedAt) ?? 0n)
  const taken = isDead ? tombstone : live
  const reason = isDead ? 'it was deleted after its last change' : 'one side deleted it, the other changed it: kept'
  decisions.push({ id, field: '', taken: taken === ours ? 'ours' : 'theirs', reason })
  return taken
}

function deletedAt(raw: string): bigint {
  const value = JSON.parse(withoutMark(raw)) as Record<string, unknown>
  const at = own(value, 'deleted_at') ?? own(value, 'updated_at')
  return (typeof at === 'string' ? issueTimeNanos(at) : null) ?? 0n
}

/** Counts of dependents are corrected in rewritten lines only; all others keep their bytes. */
function recount(merged: Map<string, Entry | null>, byField: ReadonlySet<string>, { style }: ParsedIssueFile): void {
  const open = [...byField].filter((id) => merged.get(id)?.raw.includes('"dependent_count"'))
  if (open.length === 0) return
  const live = [...merged.values()].filter((entry) => entry !== null && !entry.isTombstone) as Entry[]
  const counts = dependentCounts(live.map(({ raw }) => issueOf(raw)))
  for (const id of open) {
    const raw = merged.get(id)?.raw
    if (raw === undefined) continue
    merged.set(id, { raw: withDependents(raw, counts.get(id) ?? 0, style), isTombstone: false })
  }
}

function withDependents(raw: string, count: number, style: ParsedIssueFile['style']): string {
  const { open, members, close } = membersOf(raw)
  const counted = members.map((one) => (one.key === 'dependent_count' ? { ...one, valueText: String(count) } : one))
  return `${open.slice(0, -1)}${objectText(counted, style)}${close.slice(1)}`
}

/** What is no issue: kept where it stands, unless the other side took it out. */
function oursLines(
  mine: ParsedIssueFile,
  other: ParsedIssueFile,
  was: ParsedIssueFile | null,
  merged: ReadonlyMap<string, Entry | null>,
): Line[] {
  const [inTheirs, inBase] = [strangers(other), was === null ? new Set<string>() : strangers(was)]
  const isConflict = hasConflict(mine)
  const header = headerOf(mine, other, was)
  const lines: Line[] = []
  const written = new Set<string>()
  const put = (id: string, line: number, known: IssueLine | null) => {
    const entry = written.has(id) ? null : merged.get(id)
    written.add(id)
    if (!entry) return
    lines.push({ raw: entry.raw, line, issue: entry.raw === known?.raw ? known.issue : issueOf(entry.raw) })
  }
  const live = new Set(mine.issues.map(({ issue }) => issue.id as string))
  for (const one of mine.issues) put(one.issue.id, one.line, one)
  for (const { raw, line, kind, id } of mine.kept) {
    if (kind === 'tombstone' && id !== null) {
      if (!live.has(id)) put(id, line, null)
    } else if (kind === 'header') {
      if (header !== null) lines.push({ raw: header, line, issue: null })
    } else if (kind === 'duplicate' && isConflict) continue
    else if (kind === 'blank' || inTheirs.has(raw) || !inBase.has(raw)) lines.push({ raw, line, issue: null })
  }
  for (const { raw, line } of mine.bad) {
    if (!isMarker({ raw }) && (inTheirs.has(raw) || !inBase.has(raw))) lines.push({ raw, line, issue: null })
  }
  return lines.sort((a, b) => a.line - b.line)
}

/** Lines of theirs that are no issues and that ours never had. */
function theirsOther(mine: ParsedIssueFile, other: ParsedIssueFile, was: ParsedIssueFile | null): Line[] {
  const known = new Set([...strangers(mine), ...(was === null ? [] : strangers(was))])
  const isConflict = hasConflict(other)
  const kept = other.kept.filter(({ kind, raw }) => {
    if (kind === 'duplicate') return !isConflict && !known.has(raw)
    return kind === 'other' && !known.has(raw)
  })
  const bad = other.bad.filter((one) => !isMarker(one) && !known.has(one.raw))
  return [...kept, ...bad].map(({ raw }) => ({ raw, line: 0, issue: null }))
}

function newHeader(mine: ParsedIssueFile, other: ParsedIssueFile): Line[] {
  const header = mine.kept.some(isHeader) ? undefined : other.kept.find(isHeader)
  return header === undefined ? [] : [{ raw: header.raw, line: 0, issue: null }]
}

function strangers(file: ParsedIssueFile): Set<string> {
  const kept = file.kept.filter(({ kind }) => kind === 'other' || kind === 'duplicate')
  return new Set([...kept, ...file.bad].map(({ raw }) => raw))
}

function isHeader({ kind }: KeptLine): boolean {
  return kind === 'header'
}

function headerOf(mine: ParsedIssueFile, other: ParsedIssueFile, was: ParsedIssueFile | null): string | null {
  const [ours, theirs, base] = [mine, other, was].map((file) => file?.kept.find(isHeader)?.raw ?? null)
  return ours === base && theirs !== null ? (theirs ?? null) : (ours ?? null)
}
