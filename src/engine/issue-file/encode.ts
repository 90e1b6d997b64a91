import type { FullIssue, IssueComment, IssueDependency } from '../../domain/issue/issue'
import { parentOf } from '../../domain/issue/issue-edges'
import type { FileStyle } from '../../domain/issue/issue-file'
import { decodeComment, decodeEdge, decodeIssue } from './decode'
import { arrayText, elementsOf, isSameJson, jsonText, type Member, member, membersOf, objectText } from './json-text'
import { ALWAYS_WRITTEN, COMPUTED_KEYS, FIELD_KEYS, RANK, TEXT_KEYS } from './keys'

/** New values by key; `undefined` takes the key out. */
export type Updates = Map<string, Member | undefined>

/**
 * An issue's line, without the newline.
 *
 * What did not change against `raw` keeps its bytes: values, spellings, keys that nobody knows, the order of keys; a line in which
 * nothing changed comes back as it was. Without `raw` the line is written as the file's others are.
 *
 * @param raw             the line as it stands in the file; `null` = it is new
 * @param dependentCount  issues that are blocked by this one, over `blocks` edges; `null` = unknown, what is written stays
 */
export function encodeIssue(
  issue: FullIssue,
  style: FileStyle,
  raw: string | null,
  dependentCount: number | null = null,
): string {
  const value = raw === null ? null : (JSON.parse(withoutMark(raw)) as Record<string, unknown>)
  const before = value === null ? null : decodeIssue(value)
  const { open, members, close } = raw === null ? { open: '{', members: [], close: '}' } : membersOf(raw)
  const updates = fieldUpdates(issue, before, style, members)
  for (const [key, update] of extraUpdates(issue, before, style)) updates.set(key, update)
  if (raw !== null && updates.size === 0) return raw
  if (before === null && style.isTyped) updates.set('_type', member('_type', 'issue', style))
  for (const [key, update] of countUpdates(issue, before, style, members, dependentCount)) updates.set(key, update)
  const text = objectText(patched(members, updates), style)
  const carriage = raw === null && style.hasCarriageReturn ? '\r' : ''
  return `${open.slice(0, -1)}${text}${close.slice(1)}${carriage}`
}

/** What a deleted issue leaves in files of beads 0.30 to 0.50: its line, marked, so that no other copy brings it back. */
export function encodeTombstone(
  issue: FullIssue,
  deletion: { at: string; by: string; reason: string },
  style: FileStyle,
  raw: string | null,
): string {
  const extra = {
    ...issue.extra,
    deleted_at: deletion.at,
    deleted_by: deletion.by,
    delete_reason: deletion.reason,
    original_type: issue.issueType,
  }
  return encodeIssue({ ...issue, status: 'tombstone', updatedAt: deletion.at, extra }, style, raw)
}

export function withoutMark(raw: string): string {
  return raw.charCodeAt(0) === 0xfeff ? raw.slice(1) : raw
}

function fieldUpdates(issue: FullIssue, before: FullIssue | null, style: FileStyle, members: Member[]): Updates {
  const updates: Updates = new Map()
  const set = (key: string, value: unknown) => {
    const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0)
    updates.set(key, isEmpty && !ALWAYS_WRITTEN.has(key) ? undefined : member(key, value, style))
  }
  if (before === null) set('id', issue.id)
  for (const [key, field] of TEXT_KEYS) {
    if (before !== null && (before[field] ?? '') === (issue[field] ?? '')) continue
    if (key === 'active_task_session' && style.isBeads) updates.set(key, undefined)
    else set(key, issue[field])
  }
  if (before?.priority !== issue.priority) set('priority', issue.priority)
  if (before === null || before.estimatedMinutes !== issue.estimatedMinutes) {
    set('estimated_minutes', issue.estimatedMinutes)
  }
  for (const [key, text] of listTexts(issue, members, style)) {
    const had = members.find((one) => one.key === key)
    if (text === had?.valueText) continue
    updates.set(key, text === null ? undefined : { key, keyText: jsonText(key, style), valueText: text })
  }
  // A key that is to be left out and was not there is no change.
  for (const [key, update] of updates) {
    if (update === undefined && !members.some((one) => one.key === key)) updates.delete(key)
  }
  return updates
}

/** The three lists as texts; elements that were there keep their bytes and their order, whatever order they come in now. */
function listTexts(issue: FullIssue, members: Member[], style: FileStyle): [string, string | null][] {
  return [
    ['labels', listText(issue.labels, rawList(members, 'labels'), labelElement, (one) => jsonText(one, style), style)],
    [
      'dependencies',
      listText(
        issue.dependencies,
        rawList(members, 'dependencies'),
        (text) => edgeElement(text, issue),
        (edge, was) => edgeText(edge, was, style),
        style,
      ),
    ],
    [
      'comments',
      listText(
        issue.comments,
        rawList(members, 'comments'),
        commentElement,
        (comment, was) => commentText(comment, was, issue, style),
        style,
      ),
    ],
  ]
}

interface RawElement<T> {
  /** `null` = not to be read: it is kept. */
  value: T | null
  isSame(other: T): boolean
  isUnchanged(other: T): boolean
}

function listText<T>(
  wanted: readonly T[],
  raw: { text: string; elements: string[] } | null,
  read: (text: string, index: number) => RawElement<T>,
  write: (value: T, was: string | null) => string,
  style: FileStyle,
): string | null {
  if (raw === null)
    return wanted.length === 0
      ? null
      : arrayText(
          wanted.map((one) => write(one, null)),
          style,
        )
  const left = [...wanted]
  let isChanged = false
  const elements = raw.elements.flatMap((text, index) => {
    const { value, isSame, isUnchanged } = read(text, index)
    if (value === null) return [text]
    const at = left.findIndex(isSame)
    const [match] = at < 0 ? [] : left.splice(at, 1)
    if (match !== undefined && isUnchanged(match)) return [text]
    // The second of two equal elements goes with its first.
    if (match === undefined && wanted.some((one) => isSame(one))) return [text]
    isChanged = true
    return match === undefined ? [] : [write(match, text)]
  })
  if (!isChanged && left.length === 0) return raw.text
  elements.push(...left.map((one) => write(one, null)))
  return elements.length === 0 ? null : arrayText(elements, style)
}

function rawList(members: Member[], key: string): { text: string; elements: string[] } | null {
  const text = members.findLast((one) => one.key === key)?.valueText
  if (text === undefined) return null
  return { text, elements: text.startsWith('[') ? elementsOf(text) : [] }
}

function labelElement(text: string): RawElement<string> {
  const value: unknown = JSON.parse(text)
  const label = typeof value === 'string' && value !== '' ? value : null
  return { value: label, isSame: (other) => other === label, isUnchanged: () => true }
}

function edgeElement(text: string, issue: FullIssue): RawElement<IssueDependency> {
  const raw: unknown = JSON.parse(text)
  const value = decodeEdge(raw, issue.id)
  const spelled = typeof raw === 'object' && raw !== null && 'type' in raw ? raw.type : undefined
  return {
    value,
    isSame: (other) =>
      value !== null &&
      other.dependsOnId === value.dependsOnId &&
      (other.type === value.type || other.type === spelled),
    isUnchanged: (other) =>
      value?.createdAt === other.createdAt &&
      value.createdBy === other.createdBy &&
      value.metadata === other.metadata &&
      value.threadId === other.threadId,
  }
}

function edgeText(edge: IssueDependency, was: string | null, style: FileStyle): string {
  const members = was?.startsWith('{') ? membersOf(was).members : []
  const updates: Updates = new Map()
  const set = (key: string, value: unknown) => updates.set(key, value === null ? undefined : member(key, value, style))
  if (members.length === 0) {
    set('issue_id', edge.issueId)
    set('depends_on_id', edge.dependsOnId)
    set('type', edge.type)
  }
  set('created_at', edge.createdAt)
  set('created_by', edge.createdBy)
  set('metadata', edge.metadata)
  set('thread_id', edge.threadId)
  return objectText(patched(members, updates, EDGE_RANK), style)
}

function commentElement(text: string, index: number): RawElement<IssueComment> {
  const value = decodeComment(JSON.parse(text), index)
  return {
    value,
    isSame: (other) => other.id === value?.id,
    isUnchanged: (other) => isSameJson(value, other),
  }
}

function commentText(comment: IssueComment, was: string | null, issue: FullIssue, style: FileStyle): string {
  const members = was === null ? [] : membersOf(was).members
  const updates: Updates = new Map()
  const set = (key: string, value: unknown) => updates.set(key, member(key, value, style))
  if (was === null) {
    const isNumber = /^[1-9]\d{0,14}$/.test(comment.id)
    set('id', isNumber ? Number(comment.id) : comment.id)
    set('issue_id', issue.id)
  }
  set('author', comment.author)
  set('text', comment.text)
  set('created_at', comment.createdAt)
  return objectText(patched(members, updates, COMMENT_RANK), style)
}

const ranks = (...keys: string[]): ReadonlyMap<string, number> => new Map(keys.map((key, rank) => [key, rank]))
const EDGE_RANK = ranks('issue_id', 'depends_on_id', 'type', 'created_at', 'created_by', 'metadata', 'thread_id')
const COMMENT_RANK = ranks('id', 'issue_id', 'author', 'text', 'created_at')

function extraUpdates(issue: FullIssue, before: FullIssue | null, style: FileStyle): Updates {
  const updates: Updates = new Map()
  for (const [key, value] of Object.entries(issue.extra)) {
    if (FIELD_KEYS.has(key) || key === '_type' || COMPUTED_KEYS.some((one) => one === key)) continue
    const isThere = before !== null && Object.hasOwn(before.extra, key)
    if (value !== undefined && !(isThere && isSameJson(before.extra[key], value))) {
      updates.set(key, member(key, value, style))
    }
  }
  for (const key of Object.keys(before?.extra ?? {})) {
    if (!Object.hasOwn(issue.extra, key) || issue.extra[key] === undefined) updates.set(key, undefined)
  }
  return updates
}

function countUpdates(
  issue: FullIssue,
  before: FullIssue | null,
  style: FileStyle,
  members: Member[],
  dependentCount: number | null,
): Updates {
  const updates: Updates = new Map()
  const has = (key: string) => members.some((one) => one.key === key)
  const isNew = before === null && style.hasCounts
  const set = (key: string, value: number | string) => {
    const counted = member(key, value, style)
    if (members.find((one) => one.key === key)?.valueText !== counted.valueText) updates.set(key, counted)
  }
  if (isNew || has('dependency_count')) {
    set('dependency_count', issue.dependencies.filter(({ type }) => type === 'blocks').length)
  }
  if (isNew || (has('dependent_count') && dependentCount !== null)) set('dependent_count', dependentCount ?? 0)
  if (isNew || has('comment_count')) set('comment_count', issue.comments.length)
  if (has('parent') && before !== null && parentOf(before) !== parentOf(issue)) {
    const parent = parentOf(issue)
    if (parent === null) updates.set('parent', undefined)
    else set('parent', parent)
  }
  return updates
}

/** Members with their updates: what is there stays in its place, what is new goes behind the nearest key that comes before it. */
export function patched(
  members: readonly Member[],
  updates: Updates,
  rank: ReadonlyMap<string, number> = RANK,
): Member[] {
  const result: Member[] = []
  members.forEach((one, at) => {
    if (!updates.has(one.key)) result.push(one)
    else {
      // If a key is there twice, readers take the last.
      const update = updates.get(one.key)
      if (update !== undefined && !members.some((other, i) => i > at && other.key === one.key)) result.push(update)
    }
  })
  const known = new Set(members.map(({ key }) => key))
  const beforeCounts = (RANK.get('dependency_count') ?? 0) - 0.5
  const rankOf = (key: string) => rank.get(key) ?? beforeCounts
  const added = [...updates.values()].filter((update) => update !== undefined && !known.has(update.key)) as Member[]
  added.sort((a, b) => rankOf(a.key) - rankOf(b.key))
  for (const one of added) {
    let place = 0
    let nearest = -1
    result.forEach(({ key }, at) => {
      const its = rank.get(key) ?? (known.has(key) ? -1 : beforeCounts)
      if (its <= rankOf(one.key) && its >= nearest) {
        nearest = its
        place = at + 1
      }
    })
    result.splice(place, 0, one)
  }
  return result
}
