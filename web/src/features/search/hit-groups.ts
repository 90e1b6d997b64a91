import type { SearchHit } from '#api/contract/wire'

/** The hits of one session that are shown, and how many matches it has. */
export interface HitGroup {
  session: string
  hits: readonly SearchHit[]
  /** All of its matches, also those that are not shown. */
  count: number
}

/** All matches of the sessions that are shown, as far as the server counted them. */
export const matchCount = (groups: readonly HitGroup[]): number => groups.reduce((sum, { count }) => sum + count, 0)

/** Hits of one session that are shown beside those of others. */
const SHOWN_HITS = 3

/**
 * The hits by session. The session with the best hit comes first; if it is the only one, all of its hits are shown.
 *
 * @param counts  matches by session, as far as the server counted them
 */
export function groupHits(hits: readonly SearchHit[], counts: readonly { value: string; count: number }[]): HitGroup[] {
  const counted = new Map(counts.map(({ value, count }) => [value, count]))
  const groups = Map.groupBy(hits, ({ event }) => event.sessionId)
  return [...groups].map(([session, own]) => ({
    session,
    hits: groups.size === 1 ? own : own.slice(0, SHOWN_HITS),
    count: Math.max(own.length, counted.get(session) ?? 0),
  }))
}
