import { MAP_KINDS, MAP_PARTS, type MapKind, type MapMark } from '#domain/session/minimap'
import type { Minimap } from './use-minimap'

/** How many lines of each kind there are, without kinds that have none. */
export function kindCounts({ marks }: Pick<Minimap, 'marks'>): [MapKind, number][] {
  const counts = new Map<MapKind, number>()
  for (const { kind, count } of marks) counts.set(kind, (counts.get(kind) ?? 0) + count)
  return MAP_KINDS.flatMap((kind) => {
    const count = counts.get(kind)
    return count === undefined ? [] : [[kind, count] as [MapKind, number]]
  })
}

/** A kind in more parts than this is a ground on which the others are seen, as strong as it is dense. */
const MANY_MARKS = MAP_PARTS / 4
const LEAST_STRENGTH = 0.06
const MOST_STRENGTH = 0.25

/** Marks as they are drawn, one over the other: kinds that are everywhere first, and paler. `strength` is an opacity. */
export function drawnMarks({ marks }: Pick<Minimap, 'marks'>): (MapMark & { strength: number })[] {
  const ofKinds = MAP_KINDS.map((kind) => marks.filter((mark) => mark.kind === kind))
  return ofKinds
    .sort((one, other) => other.length - one.length)
    .flatMap((ofKind) => {
      const most = Math.max(...ofKind.map(({ count }) => count))
      const strengthOf = (count: number) =>
        ofKind.length <= MANY_MARKS ? 1 : LEAST_STRENGTH + (MOST_STRENGTH - LEAST_STRENGTH) * (count / most)
      return ofKind.map((mark) => ({ ...mark, strength: strengthOf(mark.count) }))
    })
}

/** The next mark of a kind behind a row, or before it; round the end. `null` = there is none. */
export function nextMark({ marks }: Pick<Minimap, 'marks'>, kind: MapKind, from: number, by: 1 | -1): number | null {
  const numbers = marks.filter((mark) => mark.kind === kind).map(({ number }) => number)
  if (by === 1) return numbers.find((number) => number > from) ?? numbers[0] ?? null
  return numbers.findLast((number) => number < from) ?? numbers.at(-1) ?? null
}

/** The mark that is nearest to a row. */
export function nearestMark({ marks }: Pick<Minimap, 'marks'>, row: number): number | null {
  let nearest: number | null = null
  for (const { number } of marks)
    if (nearest === null || Math.abs(number - row) < Math.abs(nearest - row)) nearest = number
  return nearest
}
