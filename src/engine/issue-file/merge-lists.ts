import { normalEdgeType } from '../../domain/issue/issue-edges'
import { issueTimeNanos } from '../../domain/issue/issue-time'
import { isObject, isSameJson } from './json-text'
import { mergeJson, type Side } from './merge-json'

/** An element of a list with its bytes. */
export interface Element {
  value: unknown
  text: string
}

export interface ListRule {
  /**
   * Names by which elements of two sides are the same, the surest first; `null` = this name says nothing about the element.
   * @param inBase  ids that the base has
   */
  names(element: Element, inBase: ReadonlySet<string>): (string | null)[]
  /** The order that writers keep, if both sides are in it. */
  compare?(a: Element, b: Element): number
}

/**
 * Three-way merge of lists as sets: what either side added is there, what either side removed is not (unless the other changed it),
 * however the sides are ordered. Without a base nothing counts as removed.
 */
export function mergeLists(
  base: readonly Element[] | null,
  ours: readonly Element[],
  theirs: readonly Element[],
  rule: ListRule,
  newer: Side,
): Element[] {
  const inBase = new Set((base ?? []).flatMap(({ value }) => (isObject(value) ? [String(value.id)] : [])))
  const named = (elements: readonly Element[]) => elements.map((one) => ({ one, names: rule.names(one, inBase) }))
  const [namedBase, namedOurs, namedTheirs] = [named(base ?? []), named(ours), named(theirs)]
  const oursInBase = pairs(namedOurs, namedBase)
  const theirsInBase = pairs(namedTheirs, namedBase)
  const oursInTheirs = pairs(namedOurs, namedTheirs)
  const matched = new Set(oursInTheirs.values())

  const kept = ours.flatMap((mine): Element[] => {
    const was = oursInBase.get(mine)
    const other = oursInTheirs.get(mine)
    if (other !== undefined) return [mergeElement(was, mine, other, newer)]
    return was !== undefined && isSameJson(was.value, mine.value) ? [] : [mine]
  })
  const added = theirs.filter((one) => {
    if (matched.has(one)) return false
    const was = theirsInBase.get(one)
    return was === undefined || !isSameJson(was.value, one.value)
  })
  if (added.length === 0) return kept
  const { compare } = rule
  const isSorted = (list: readonly Element[]) =>
    compare !== undefined && list.every((one, at) => at === 0 || compare(list[at - 1] ?? one, one) <= 0)
  const merged = [...kept, ...added]
  return compare !== undefined && isSorted(ours) && isSorted(theirs) ? merged.sort(compare) : merged
}

function mergeElement(was: Element | undefined, mine: Element, other: Element, newer: Side): Element {
  const value = mergeJson(was?.value, mine.value, other.value, newer)
  if (isSameJson(value, mine.value)) return mine
  return isSameJson(value, other.value) ? other : { value, text: '' }
}

type Named = { one: Element; names: (string | null)[] }

/** Which element of `to` each of `from` is; none is taken twice, so that two equal elements stay two. */
function pairs(from: readonly Named[], to: readonly Named[]): Map<Element, Element> {
  const found = new Map<Element, Element>()
  const taken = new Set<Element>()
  const rounds = from.reduce((most, { names }) => Math.max(most, names.length), 0)
  for (let round = 0; round < rounds; round++) {
    const open = new Map<string, Element[]>()
    for (const { one, names } of to) {
      const name = names[round]
      if (name === null || name === undefined || taken.has(one)) continue
      const others = open.get(name)
      if (others === undefined) open.set(name, [one])
      else others.push(one)
    }
    for (const { one, names } of from) {
      const name = names[round]
      const match = found.has(one) || name === null || name === undefined ? undefined : open.get(name)?.shift()
      if (match === undefined) continue
      found.set(one, match)
      taken.add(match)
    }
  }
  return found
}

const byText = (a: Element, b: Element) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0)

/** Labels and other lists of plain values: an element is what it says. */
export const PLAIN_LIST: ListRule = { names: ({ value }) => [JSON.stringify(value)], compare: byText }

/** An edge is its target and its type, in whichever spelling. */
export const edgeList = (issueId: string): ListRule => ({
  names({ value }) {
    if (!isObject(value) || typeof value.depends_on_id !== 'string') return [JSON.stringify(value)]
    const type = typeof value.type === 'string' ? value.type : 'blocks'
    return [`${normalEdgeType(type, issueId, value.depends_on_id)}\n${value.depends_on_id}`]
  },
})

/**
 * A comment is its id; or its author, second and text, since ids were numbers that each clone gave by itself. So a number names
 * a comment only where the base has it.
 */
export const COMMENT_LIST: ListRule = {
  names({ value }, inBase) {
    if (!isObject(value)) return [JSON.stringify(value)]
    const id = String(value.id ?? '')
    const at = typeof value.created_at === 'string' ? value.created_at : ''
    const seconds = issueTimeNanos(at)
    const content = JSON.stringify([value.author, seconds === null ? at : String(seconds / 1_000_000_000n), value.text])
    const isSure = inBase.has(id) || (typeof value.id === 'string' && !/^\d*$/.test(id))
    return [`${id}\n${content}`, content, isSure ? id : null]
  },
  compare: (a, b) => {
    const [left, right] = [timeOf(a), timeOf(b)]
    return left < right ? -1 : left > right ? 1 : 0
  },
}

function timeOf({ value }: Element): bigint {
  return (isObject(value) && typeof value.created_at === 'string' ? issueTimeNanos(value.created_at) : null) ?? 0n
}
