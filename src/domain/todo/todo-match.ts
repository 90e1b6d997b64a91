import type { TodoStatus } from '../record/observation'
import { compareWords, type Words, wordsOf } from '../similarity'

/** An item as it is matched. */
export interface Matched {
  content: string
  activeForm?: string | null
  status: TodoStatus
}

/** Texts are one item from here on; the examples are in `similarity.test.ts`. */
const SAME_ITEM = 0.65
/** Pairs of texts that are compared in one snapshot. Where a larger part of a long list was reworded, only neighbours are. */
const COMPARED_PAIRS = 4_000

/**
 * Which item of a list each item of its next snapshot is: an index of `before`, or `null` = none of them. By exact content at the same
 * place, then exact content (the first that is left, in order), then likeness, the best pairs first.
 *
 * What was completed is never taken for a reworded item that is still to be done: that is more work of the same kind.
 *
 * @param isKnown  an item of `next` is something else that is known, and like none of `before`
 */
export function matchTodos(
  before: readonly Matched[],
  next: readonly Matched[],
  isKnown: (item: Matched, index: number) => boolean = () => false,
): (number | null)[] {
  const matches: (number | null)[] = next.map((item, at) => (before[at]?.content === item.content ? at : null))
  if (before.length === next.length && !matches.includes(null)) return matches
  const isFree = before.map((_, at) => matches[at] !== at)
  matchContents(before, next, matches, isFree)
  const open = next.flatMap((item, at) => (matches[at] === null && !isKnown(item, at) ? [at] : []))
  const free = before.flatMap((_, at) => (isFree[at] ? [at] : []))
  if (open.length > 0 && free.length > 0) matchAlike(before, next, matches, { open, free })
  return matches
}

function matchContents(
  before: readonly Matched[],
  next: readonly Matched[],
  matches: (number | null)[],
  isFree: boolean[],
): void {
  const byContent = new Map<string, number[]>()
  // From the end, so that the first is taken first.
  for (let at = before.length - 1; at >= 0; at--) {
    const content = before[at]?.content
    if (!isFree[at] || content === undefined) continue
    const same = byContent.get(content)
    if (same) same.push(at)
    else byContent.set(content, [at])
  }
  next.forEach((item, at) => {
    if (matches[at] !== null) return
    const same = byContent.get(item.content)?.pop()
    if (same === undefined) return
    matches[at] = same
    isFree[same] = false
  })
}

interface Pair {
  from: number
  to: number
  score: number
}

function matchAlike(
  before: readonly Matched[],
  next: readonly Matched[],
  matches: (number | null)[],
  left: { open: readonly number[]; free: readonly number[] },
): void {
  const { open, free } = left
  const wordsBefore = new Map(free.map((at) => [at, describe(before[at])]))
  const reach = Math.max(1, Math.floor(COMPARED_PAIRS / open.length))
  const pairs: Pair[] = []
  let nearest = 0
  for (const to of open) {
    const item = describe(next[to])
    while (nearest < free.length && (free[nearest] ?? 0) < to) nearest++
    const first = Math.max(0, Math.min(nearest - Math.ceil(reach / 2), free.length - reach))
    for (const from of free.slice(first, first + reach)) {
      if (before[from]?.status === 'completed' && next[to]?.status !== 'completed') continue
      const score = alike(wordsBefore.get(from), item)
      if (score >= SAME_ITEM) pairs.push({ from, to, score })
    }
  }
  pairs.sort((a, b) => b.score - a.score || distance(a) - distance(b) || a.to - b.to || a.from - b.from)
  const taken = new Set<number>()
  for (const { from, to } of pairs) {
    if (matches[to] !== null || taken.has(from)) continue
    matches[to] = from
    taken.add(from)
  }
}

const distance = ({ from, to }: Pair): number => Math.abs(from - to)

interface Described {
  content: Words
  activeForm: Words | null
}

function describe(item: Matched | undefined): Described {
  const activeForm = item?.activeForm
  return { content: wordsOf(item?.content ?? ''), activeForm: activeForm ? wordsOf(activeForm) : null }
}

/** The form for work in progress says the same in other words: where it is more alike than the content, it counts half. */
function alike(a: Described | undefined, b: Described): number {
  if (!a) return 0
  const score = compareWords(a.content, b.content)
  if (score < SAME_ITEM / 2 || a.activeForm === null || b.activeForm === null) return score
  return Math.max(score, (score + compareWords(a.activeForm, b.activeForm)) / 2)
}

/**
 * Which places of `from` (distinct numbers) are out of order: the fewest whose removal leaves the rest growing. So an item put at the top of a list moves
 * nothing else.
 */
export function outOfOrder(from: readonly number[]): Set<number> {
  const moved = new Set<number>()
  if (from.every((value, at) => at === 0 || value > (from[at - 1] ?? 0))) return moved
  /** The place at which the best growing row of each length ends. */
  const ends: number[] = []
  const previous: number[] = []
  from.forEach((value, at) => {
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((from[ends[middle] ?? 0] ?? 0) < value) low = middle + 1
      else high = middle
    }
    previous[at] = ends[low - 1] ?? -1
    ends[low] = at
  })
  for (const at of from.keys()) moved.add(at)
  for (let at = ends.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) moved.delete(at)
  return moved
}
