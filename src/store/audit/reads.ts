import type { AuditDetail, AuditLine, AuditReads, AuditRow } from '../../domain/audit'
import { checkLimit, decodeCursor, encodeCursor } from '../sql/cursor'
import { isoTime, type ReadContext } from '../sql/read-context'
import { selectRows } from '../sql/row-statements'
import { AUDIT_LINE } from './rows'

/** Reads the audit log. */
export const auditReads = ({ db }: ReadContext): AuditReads => ({
  async list(filter, page) {
    const limit = checkLimit(page.limit)
    // Where a list ends decides nothing of where its pages begin: `--since 7d` is another moment at the next page.
    const { since: _, ...lasting } = filter
    let query = selectRows(db, AUDIT_LINE)
    if (filter.act !== undefined) query = query.where('t.act', '=', filter.act)
    const { who } = filter
    if (who !== undefined) query = query.where((q) => q.or([q('t.actor_kind', '=', who), q('t.actor_name', '=', who)]))
    if (filter.after !== undefined) query = query.where('t.number', '>', filter.after)
    if (filter.since !== undefined) query = query.where('t.at', '>=', filter.since)
    if (page.cursor !== undefined)
      query = query.where('t.number', '<', Number(decodeCursor(page.cursor, lasting, ['number'])[0]))
    const found = await query
      .orderBy('t.number', 'desc')
      .limit(limit + 1)
      .execute()
    const rows = found.slice(0, limit)
    const last = found.length > limit ? rows.at(-1) : undefined
    return {
      rows: rows.map((row) => shown(AUDIT_LINE.read(row))),
      nextCursor: last === undefined ? null : encodeCursor(lasting, [last.number]),
    }
  },

  async rowsAfter(number, limit) {
    const rows = await selectRows(db, AUDIT_LINE)
      .where('t.number', '>', number)
      .orderBy('t.number')
      .limit(limit)
      .execute()
    return rows.map((row) => AUDIT_LINE.read(row))
  },

  async head() {
    const found = await db.selectFrom('audit_head').select(['number', 'hash']).executeTakeFirst()
    return found ?? { number: 0, hash: '' }
  },
})

const shown = ({ at, actorKind, actorName, peer, detail, ...row }: AuditRow): AuditLine => ({
  ...row,
  at: isoTime(at),
  actor: { kind: actorKind, name: actorName, peer },
  detail: detailOf(detail),
})

/** What is no longer JSON was changed by hand; `audit verify` names the line. */
function detailOf(text: string): AuditDetail {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? onlyPlain(value) : {}
  } catch {
    return {}
  }
}

const onlyPlain = (value: object): AuditDetail =>
  Object.fromEntries(
    Object.entries(value).filter(
      (one): one is [string, AuditDetail[string]] =>
        one[1] === null || ['string', 'number', 'boolean'].includes(typeof one[1]),
    ),
  )
