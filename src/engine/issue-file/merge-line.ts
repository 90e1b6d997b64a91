import type { FileStyle, MergeDecision } from '../../domain/issue/issue-file'
import { issueTimeNanos } from '../../domain/issue/issue-time'
import { ownValue } from '../../domain/own-value'
import { patched, type Updates, withoutMark } from './encode'
import {
  arrayText,
  elementsOf,
  isObject,
  isSameJson,
  jsonText,
  type Member,
  member,
  membersOf,
  objectText,
} from './json-text'
import { mergeJson, own, type Side } from './merge-json'
import { COMMENT_LIST, type Element, edgeList, type ListRule, mergeLists, PLAIN_LIST } from './merge-lists'
import { mergeStatus, STATUS_KEYS } from './merge-status'

type Value = Record<string, unknown>

/** Two texts are better than one lost. */
const KEPT_BOTH: ReadonlySet<string> = new Set(['description', 'design', 'acceptance_criteria', 'notes'])
const BETWEEN = '\n\n---\n\n'
const LISTS: ReadonlySet<string> = new Set(['labels', 'dependencies', 'comments'])
/** Nobody decided these: which one is taken needs no word. */
const SILENT: ReadonlySet<string> = new Set(['content_hash', 'created_at', 'updated_at', 'started_at', 'parent'])
const COUNTS: ReadonlySet<string> = new Set(['dependency_count', 'dependent_count', 'comment_count'])
/** What a reader takes when the key is absent. */
const DEFAULTS: Readonly<Record<string, unknown>> = { priority: 0, status: 'open', issue_type: 'task' }

export interface MergedLine {
  raw: string
  decisions: MergeDecision[]
}

/**
 * Merges two lines of one issue by field. Whatever one side alone changed is taken; the rest is decided, and said.
 *
 * @param base  the common ancestor's line; `null` = unknown: then nothing counts as removed
 * @param style  of ours
 */
export function mergeLines(base: string | null, ours: string, theirs: string, style: FileStyle): MergedLine {
  const [was, mine, other] = [base === null ? null : parse(base), parse(ours), parse(theirs)]
  const id = String(mine.id)
  const newer = newerSide(mine, other)
  const decisions: MergeDecision[] = []
  const decide = (field: string, taken: MergeDecision['taken'], reason: string) =>
    decisions.push({ id, field, taken, reason })
  const merged = new Map<string, unknown>()
  const texts = new Map<string, string>()

  for (const [key, value] of mergeStatus(was, mine, other, newer, decide)) merged.set(key, value)
  for (const key of new Set([...Object.keys(mine), ...Object.keys(other)])) {
    if (STATUS_KEYS.has(key) || COUNTS.has(key)) continue
    const [b, o, t] = [was === null ? undefined : own(was, key), own(mine, key), own(other, key)]
    if (LISTS.has(key) && isList(o) && isList(t)) {
      const elements = mergeLists(
        was === null ? null : listOf(base, key),
        listOf(ours, key),
        listOf(theirs, key),
        ruleOf(key, id),
        newer,
      )
      const unique = key === 'comments' ? renumbered(elements) : elements
      merged.set(key, unique.length === 0 ? undefined : unique.map(({ value }) => value))
      texts.set(
        key,
        arrayText(
          unique.map((one) => one.text || jsonText(one.value, style)),
          style,
        ),
      )
    } else merged.set(key, mergeField(key, was === null ? undefined : { value: b }, o, t, newer, decide))
  }
  setCounts(merged, mine, other)
  return { raw: assemble(merged, texts, ours, theirs, style), decisions }
}

/** Whether two lines mean the same, counts and hashes of them aside. */
export function isSameLine(a: string, b: string): boolean {
  if (a === b) return true
  const [left, right] = [parse(a), parse(b)]
  const keys = new Set([...Object.keys(left), ...Object.keys(right)])
  return [...keys].every(
    (key) => COUNTS.has(key) || key === 'content_hash' || isSameField(key, own(left, key), own(right, key)),
  )
}

function parse(raw: string): Value {
  return JSON.parse(withoutMark(raw)) as Value
}

/** The side that was changed last; of equally new ones the same whichever way round they come. */
function newerSide(mine: Value, other: Value): Side {
  const [left, right] = [updatedNanos(mine), updatedNanos(other)]
  if (left !== right) return left > right ? 'ours' : 'theirs'
  return JSON.stringify(mine) >= JSON.stringify(other) ? 'ours' : 'theirs'
}

function updatedNanos(value: Value): bigint {
  const at = value.updated_at
  return (typeof at === 'string' ? issueTimeNanos(at) : null) ?? 0n
}

export function isSameField(key: string, a: unknown, b: unknown): boolean {
  return isSameJson(normal(key, a), normal(key, b))
}

function normal(key: string, value: unknown): unknown {
  const isEmpty = value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
  return isEmpty ? ownValue(DEFAULTS, key) : value
}

type Decide = (field: string, taken: MergeDecision['taken'], reason: string) => void

function mergeField(
  key: string,
  base: { value: unknown } | undefined,
  ours: unknown,
  theirs: unknown,
  newer: Side,
  decide: Decide,
): unknown {
  if (isSameField(key, ours, theirs)) return ours ?? theirs
  if (base !== undefined && isSameField(key, ours, base.value)) return theirs
  if (base !== undefined && isSameField(key, theirs, base.value)) return ours
  const [hasOurs, hasTheirs] = [normal(key, ours) !== undefined, normal(key, theirs) !== undefined]
  if (!hasOurs || !hasTheirs) {
    if (base !== undefined) {
      decide(key, hasOurs ? 'ours' : 'theirs', `the other side removed it, this side changed it: kept`)
    }
    return hasOurs ? ours : theirs
  }
  if (key === 'updated_at' || key === 'created_at' || key === 'started_at') return byTime(key, ours, theirs)
  if (KEPT_BOTH.has(key) && typeof ours === 'string' && typeof theirs === 'string') {
    return bothTexts(key, ours, theirs, newer, decide)
  }
  const value = mergeJson(base?.value, ours, theirs, newer)
  if (!SILENT.has(key)) {
    const isOne = isSameJson(value, newer === 'ours' ? ours : theirs)
    if (isOne)
      decide(
        key,
        newer,
        `both changed it and this side is newer; the other side had ${short(newer === 'ours' ? theirs : ours)}`,
      )
    else decide(key, 'both', 'both changed it: merged by key')
  }
  return value
}

/** The latest change, the first start. */
function byTime(key: string, ours: unknown, theirs: unknown): unknown {
  const [left, right] = [ours, theirs].map((at) => (typeof at === 'string' ? issueTimeNanos(at) : null))
  if (left === null || left === undefined) return theirs
  if (right === null || right === undefined) return ours
  return left > right === (key === 'updated_at') ? ours : theirs
}

function bothTexts(key: string, ours: string, theirs: string, newer: Side, decide: Decide): string {
  if (ours.includes(theirs) || theirs.includes(ours)) {
    const taken = ours.includes(theirs) ? 'ours' : 'theirs'
    decide(key, taken, 'both changed it, and this text contains the other')
    return taken === 'ours' ? ours : theirs
  }
  decide(key, 'both', `both changed it: both texts are kept, the newer (${newer}) first`)
  return newer === 'ours' ? ours + BETWEEN + theirs : theirs + BETWEEN + ours
}

export function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length <= 120 ? text : `${text.slice(0, 119)}…`
}

function isList(value: unknown): boolean {
  return value === undefined || value === null || Array.isArray(value)
}

function ruleOf(key: string, id: string): ListRule {
  return key === 'labels' ? PLAIN_LIST : key === 'comments' ? COMMENT_LIST : edgeList(id)
}

function listOf(raw: string | null, key: string): Element[] {
  const text = raw === null ? undefined : membersOf(raw).members.findLast((one) => one.key === key)?.valueText
  if (!text?.startsWith('[')) return []
  return elementsOf(text).map((one) => ({ text: one, value: JSON.parse(one) as unknown }))
}

/** Two clones gave one number to two comments: the later one gets the next free. */
function renumbered(elements: readonly Element[]): Element[] {
  const taken = new Set<unknown>()
  let highest = 0
  for (const { value } of elements)
    if (isObject(value) && typeof value.id === 'number') highest = Math.max(highest, value.id)
  return elements.map((one) => {
    if (!isObject(one.value) || typeof one.value.id !== 'number' || !Number.isSafeInteger(highest + 1)) return one
    if (!taken.has(one.value.id)) {
      taken.add(one.value.id)
      return one
    }
    highest++
    taken.add(highest)
    return { value: { ...one.value, id: highest }, text: '' }
  })
}

function setCounts(merged: Map<string, unknown>, mine: Value, other: Value): void {
  const edges = merged.get('dependencies')
  const blocks = Array.isArray(edges) ? edges.filter((edge) => isObject(edge) && edge.type === 'blocks').length : 0
  const comments = merged.get('comments')
  const has = (key: string) => Object.hasOwn(mine, key) || Object.hasOwn(other, key)
  if (has('dependency_count')) merged.set('dependency_count', blocks)
  if (has('dependent_count'))
    merged.set('dependent_count', own(mine, 'dependent_count') ?? own(other, 'dependent_count'))
  if (has('comment_count')) merged.set('comment_count', Array.isArray(comments) ? comments.length : 0)
}

/** The line of the merged values: bytes of ours, else of theirs, wherever either says just that. */
function assemble(
  merged: ReadonlyMap<string, unknown>,
  texts: ReadonlyMap<string, string>,
  ours: string,
  theirs: string,
  style: FileStyle,
): string {
  const [mine, other] = [membersOf(ours), membersOf(theirs)]
  if (says(other.members, merged) && !says(mine.members, merged)) return theirs
  const updates: Updates = new Map()
  for (const [key, value] of merged) {
    const own = mine.members.findLast((one) => one.key === key)
    if (own !== undefined && value !== undefined && isSameJson(JSON.parse(own.valueText), value)) continue
    const its = other.members.findLast((one) => one.key === key)
    const text = texts.get(key)
    if (value === undefined) {
      if (own !== undefined) updates.set(key, undefined)
    } else if (its !== undefined && isSameJson(JSON.parse(its.valueText), value)) updates.set(key, its)
    else
      updates.set(key, text === undefined ? member(key, value, style) : { ...member(key, '', style), valueText: text })
  }
  if (updates.size === 0) return ours
  return `${mine.open.slice(0, -1)}${objectText(patched(mine.members, updates), style)}${mine.close.slice(1)}`
}

function says(members: readonly Member[], merged: ReadonlyMap<string, unknown>): boolean {
  const values = new Map(members.map(({ key, valueText }) => [key, valueText]))
  return [...merged].every(([key, value]) => {
    const text = values.get(key)
    return text === undefined ? value === undefined : value !== undefined && isSameJson(JSON.parse(text), value)
  })
}
