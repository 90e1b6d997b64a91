import { sql } from 'kysely'
import { incarnationKey, sessionId, sessionKey } from '../../domain/ids'
import type { FoundSecret, SecretFilter, SecretReads } from '../../domain/secrets/secret-store'
import { checkLimit, decodeCursor, encodeCursor } from '../sql/cursor'
import { isoTime, type ReadContext } from '../sql/read-context'
import { uuidText } from '../sql/uuid'

/** The session of a mark as a number that sorts: 0 = none. */
const SESSION = sql<number>`coalesce(m.session_id, 0)`

/** Reads which secrets were found, and where. */
export const secretReads = (context: ReadContext): SecretReads => ({
  async list(filter, page) {
    const limit = checkLimit(page.limit)
    const found = await selectFound(context, filter, page.cursor)
      .limit(limit + 1)
      .execute()
    const rows: FoundSecret[] = []
    for (const { key, session, sessionId: of, firstSeenAt, erasedAt, count, ...row } of found.slice(0, limit))
      rows.push({
        ...row,
        count: Number(count),
        sessionId: of === null ? null : sessionId(of),
        eventId: await firstEvent(context, key, Number(session)),
        firstSeenAt: isoTime(firstSeenAt),
        erasedAt: isoTime(erasedAt),
      })
    const last = found.length > limit ? found[limit - 1] : undefined
    return {
      rows,
      nextCursor: last === undefined ? null : encodeCursor(filter, [last.key, Number(last.session)]),
    }
  },

  async erasedAmong(ids) {
    if (ids.length === 0) return new Set()
    const rows = await context.db
      .selectFrom('secrets')
      .select('public_id')
      .where('erased_at', 'is not', null)
      .where(({ ref }) => context.capabilities.inTexts(ref('public_id'), ids))
      .execute()
    return new Set(rows.map((row) => row.public_id))
  },

  async marksOf(id) {
    const rows = await context.db
      .selectFrom('secrets as x')
      .innerJoin('secret_marks as m', 'm.secret_id', 'x.id')
      .innerJoin('incarnations as i', 'i.id', 'm.incarnation_id')
      .innerJoin('journals as j', 'j.id', 'i.journal_id')
      .innerJoin('hosts as h', 'h.id', 'j.host_id')
      .select(['m.incarnation_id', 'm.offset', 'm.length', 'x.rule', 'j.path', 'h.name'])
      .where('x.public_id', '=', id)
      .orderBy('m.incarnation_id')
      .orderBy('m.offset')
      .execute()
    return rows.map(({ incarnation_id, name, ...row }) => ({ ...row, incarnation: incarnation_id, hostName: name }))
  },

  async unscanned(rules, limit) {
    const scanned = sql<number>`case when x.rules = ${rules} then x.scanned else 0 end`
    const rows = await context.db
      .selectFrom('incarnations as i')
      .innerJoin('journals as j', 'j.id', 'i.journal_id')
      .leftJoin('secret_scans as x', 'x.incarnation_id', 'i.id')
      .select(['i.id', 'j.session_id', 'i.parsed', sql<number>`coalesce(${scanned}, 0)`.as('scanned')])
      .where(sql<boolean>`i.parsed > coalesce(${scanned}, 0)`)
      .orderBy('i.id')
      .limit(limit)
      .execute()
    return rows.map((row) => ({
      incarnation: incarnationKey(row.id),
      session: row.session_id === null ? null : sessionKey(row.session_id),
      scanned: Number(row.scanned),
      parsed: row.parsed,
    }))
  },
})

function selectFound({ db }: ReadContext, filter: SecretFilter, cursor: string | undefined) {
  let query = db
    .selectFrom('secrets as x')
    .leftJoin('secret_marks as m', 'm.secret_id', 'x.id')
    .leftJoin('sessions as s', 's.id', 'm.session_id')
    .select(['x.id as key', 'x.public_id as id', 'x.rule', 'x.preview', 's.native_id as sessionId'])
    .select(['x.first_seen_at as firstSeenAt', 'x.erased_at as erasedAt', SESSION.as('session')])
    .select((eb) => eb.fn.count<number>('m.offset').as('count'))
    // One whose session was forgotten stands nowhere any more; an erased one stays known.
    .where((eb) => eb.or([eb('m.offset', 'is not', null), eb('x.erased_at', 'is not', null)]))
    .groupBy(['x.id', 'x.public_id', 'x.rule', 'x.preview', 's.native_id', 'x.first_seen_at', 'x.erased_at', SESSION])
  if (filter.sessionId !== undefined) query = query.where('s.native_id', '=', filter.sessionId)
  if (filter.id !== undefined) query = query.where('x.public_id', '=', filter.id)
  if (cursor !== undefined) {
    const [key = 0, session = 0] = decodeCursor(cursor, filter, ['number', 'number']).map(Number)
    query = query.where((eb) =>
      eb.or([eb('x.id', '<', key), eb.and([eb('x.id', '=', key), sql<boolean>`${SESSION} > ${session}`])]),
    )
  }
  return query.orderBy('x.id', 'desc').orderBy(SESSION)
}

async function firstEvent({ db }: ReadContext, secret: number, session: number): Promise<string | null> {
  const row = await db
    .selectFrom('secret_marks')
    .select('line_uuid')
    .where('secret_id', '=', secret)
    .where(sql<boolean>`coalesce(session_id, 0) = ${session}`)
    .where('line_uuid', 'is not', null)
    .orderBy('incarnation_id')
    .orderBy('offset')
    .limit(1)
    .executeTakeFirst()
  return row?.line_uuid == null ? null : uuidText(row.line_uuid)
}
