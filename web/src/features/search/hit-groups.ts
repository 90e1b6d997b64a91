import type { SearchHit } from '#api/contract/wire'

/** The hits of one session that are shown, and how many matches it has. */
export interface HitGroup {
  session: string
  hits: readonly SearchHit[]
  /** All of its matches, also those that are not shown. */
  count: number
}

/** Hits of one session that are shown beside those of others. */
const SHOWN_HITS = 3

/**
 * The hits by session. The session with the best hit comes first.
 *
 * @param counts  matches by session, as far as the server counted them
 * @param isAll  shows every hit: only one session was searched
 */
export function groupHits(
  hits: readonly SearchHit[],
  counts: readonly { value: string; count: number }[],
  isAll: boolean,
): HitGroup[] {
  const counted = new Map(counts.map(({ value, count }) => [value, count]))
  return [...Map.groupBy(hits, ({ event }) => event.sessionId)].map(([session, own]) => ({
    session,
    hits: isAll ? own : own.slice(0, SHOWN_HITS),
    count: Math.max(own.length, counted.get(session) ?? 0),
  }))
}
