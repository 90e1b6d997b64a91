import type { FeedEntry, FeedKind, FeedReads } from '../domain/feed'
import { type FeedSeq, feedSeq, sessionId } from '../domain/ids'
import { checkLimit } from './sql/cursor'
import { isoTime, type ReadContext } from './sql/read-context'

/** Reads the feed; `onChange` is the database's own way of waking its readers. */
export function feedReads({ db }: ReadContext, onChange: FeedReads['onChange']): FeedReads {
  return {
    async after(cursor: FeedSeq, limit: number): Promise<FeedEntry[]> {
      const rows = await db
        .selectFrom('feed')
        .select(['seq', 'at', 'kind', 'session_native_id', 'data'])
        .where('seq', '>', cursor)
        .orderBy('seq')
        .limit(checkLimit(limit, 10_000))
        .execute()
      return rows.map((row) => ({
        seq: feedSeq(row.seq),
        at: isoTime(row.at),
        kind: row.kind as FeedKind,
        sessionId: row.session_native_id === null ? null : sessionId(row.session_native_id),
        data: JSON.parse(row.data) as Record<string, unknown>,
      }))
    },

    async first(): Promise<FeedSeq> {
      const row = await db
        .selectFrom('feed')
        .select('seq')
        .where('seq', 'is not', null)
        .orderBy('seq')
        .limit(1)
        .executeTakeFirst()
      return feedSeq(row?.seq ?? 0)
    },

    async head(): Promise<FeedSeq> {
      const row = await db
        .selectFrom('feed')
        .select('seq')
        .where('seq', 'is not', null)
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst()
      return feedSeq(row?.seq ?? 0)
    },
    onChange,
  }
}
