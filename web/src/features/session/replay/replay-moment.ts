import type { Answers } from '#api/contract/operations/index'

type Segment = Answers['sessions']['timeline']['lanes'][number]['segments'][number]

/** What an agent did at a moment, and since when, in milliseconds. */
export interface Moment {
  kind: Segment['kind']
  since: number
}

/** Which of its segments a moment is in; where two meet, the later one. @param at  milliseconds */
export function momentOf(segments: readonly Segment[], at: number): Moment | null {
  const found = segments.findLast(({ from, to }) => Date.parse(from) <= at && at <= Date.parse(to))
  return found === undefined ? null : { kind: found.kind, since: Date.parse(found.from) }
}
