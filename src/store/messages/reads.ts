import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Address } from '../../domain/ids'
import type { Message } from '../../domain/message/message'
import type { MessageFilter, MessageReads, MessageRow } from '../../domain/message/message-store'
import { isAddressOf } from '../of-agent-cli'
import { checkLimit, decodeCursor, encodeCursor } from '../sql/cursor'
import { programDriver } from '../sql/program-driver'
import { isoTime, type ReadContext } from '../sql/read-context'
import { selectRows } from '../sql/row-statements'
import { MESSAGE, readMessage } from './rows'
import { hasWritten, isOf } from './senders'
import { ANY_UNSETTLED } from './writes/lines'
import { ANY_LAPSED, countWaiting, flyingTargets, offersTo } from './writes/messages'
import { isKnown } from './writes/waits'

/** Steps from alias to alias that are followed. */
const ALIAS_STEPS = 50
/** Aliases of one address that are looked at. */
const MOST_ALIASES = 100
/** Steps of one message that are shown. */
const MOST_STEPS = 1_000

/** Reads messages. */
export function messageReads(context: ReadContext): MessageReads {
  const { db } = context
  const drive = programDriver(db)
  const select = async (where: RawBuilder<SqlBool>, end: RawBuilder<unknown> = sql``): Promise<Message[]> => {
    const rows = await selectRows(db, MESSAGE).where(where).modifyEnd(end).execute()
    return rows.map((row) => shownMessage(readMessage(row)))
  }
  return {
    find: async (id) => (await select(sql<SqlBool>`t.id = ${id}`))[0],

    async list(filter, page) {
      const limit = checkLimit(page.limit)
      const conditions = conditionsOf(filter)
      const [beyond, order] = filter.newestFirst === true ? [sql`<`, sql`desc`] : [sql`>`, sql`asc`]
      if (page.cursor !== undefined)
        conditions.push(sql`t.seq ${beyond} ${decodeCursor(page.cursor, filter, ['number'])[0]}`)
      const found = await select(
        sql<SqlBool>`${sql.join(conditions, sql` and `)}`,
        sql`order by t.seq ${order} limit ${limit + 1}`,
      )
      const rows = found.slice(0, limit)
      const last = found.length > limit ? rows.at(-1) : undefined
      return { rows, nextCursor: last === undefined ? null : encodeCursor(filter, [last.seq]) }
    },

    async newest(to, upTo, limit) {
      const found = await select(
        sql<SqlBool>`t.to_address = ${to} and t.seq <= ${upTo}`,
        sql`order by t.seq desc limit ${limit}`,
      )
      return found.reverse()
    },

    countWaiting: (to) => drive(countWaiting(to)),

    async aliasesOf(of) {
      const rows = await db
        .selectFrom('address_aliases')
        .select('alias')
        .where('address', '=', of)
        .orderBy('at')
        .limit(MOST_ALIASES)
        .execute()
      return rows.map(({ alias }) => alias)
    },

    hasUnsettled: async () => (await drive(ANY_UNSETTLED.first())) !== undefined,
    hasLapsed: async () => (await drive(ANY_LAPSED.first())) !== undefined,
    flights: (limit) => drive(flyingTargets(limit)),
    offers: (to) => drive(offersTo(to)),
    isKnown: (of) => drive(isKnown(of)),
    isOf: (id, of, as) => drive(isOf(id, of, as)),
    hasWritten: (from, to) => drive(hasWritten(from, to)),

    async steps(id) {
      const rows = await db
        .selectFrom('message_steps as s')
        .innerJoin('messages as m', 'm.seq', 's.message_seq')
        .select(['s.at', 's.status', 's.route', 's.text'])
        .where('m.id', '=', id)
        .orderBy('s.id')
        .limit(MOST_STEPS)
        .execute()
      return rows.map((row) => ({ ...row, at: isoTime(row.at) }))
    },

    async addressOf(id) {
      let at = id
      for (let step = 0; step < ALIAS_STEPS; step++) {
        const row = await db.selectFrom('address_aliases').select('address').where('alias', '=', at).executeTakeFirst()
        if (row === undefined) break
        at = row.address
      }
      return at as Address
    },
  }
}

function conditionsOf(filter: MessageFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [sql`1 = 1`]
  if (filter.to !== undefined) conditions.push(sql`t.to_address = ${filter.to}`)
  if (filter.from !== undefined) conditions.push(sql`t.from_address = ${filter.from}`)
  if (filter.party !== undefined)
    conditions.push(sql`(t.to_address = ${filter.party} or t.from_address = ${filter.party})`)
  if (filter.agent !== undefined)
    conditions.push(
      sql`(${isAddressOf(sql`t.to_address`, filter.agent)} or ${isAddressOf(sql`t.from_address`, filter.agent)})`,
    )
  if (filter.statuses !== undefined) conditions.push(oneOf('status', filter.statuses))
  if (filter.kinds !== undefined) conditions.push(oneOf('kind', filter.kinds))
  if (filter.taskId !== undefined) conditions.push(sql`t.task_public_id = ${filter.taskId}`)
  if (filter.target !== undefined) conditions.push(sql`t.target = ${filter.target}`)
  if (filter.after !== undefined) conditions.push(sql`t.seq > ${filter.after}`)
  return conditions
}

const oneOf = (column: 'status' | 'kind', words: readonly string[]): RawBuilder<unknown> =>
  words.length === 0 ? sql`1 = 0` : sql`${sql.ref(`t.${column}`)} in (${sql.join(words.map((word) => sql.lit(word)))})`

/** A message as the API gives it. */
export function shownMessage(row: MessageRow): Message {
  const { chain: _, target: __, offer: ___, createdAt, queuedAt, deliveredAt, consumedAt, ...rest } = row
  return {
    ...rest,
    createdAt: isoTime(createdAt),
    queuedAt: isoTime(queuedAt),
    deliveredAt: isoTime(deliveredAt),
    consumedAt: isoTime(consumedAt),
  }
}
