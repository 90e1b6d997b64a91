import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { HOUR_MS } from '../../domain/time-units'
import { UNKNOWN_HOUR } from '../migrations/costs/usage-sums'
import type { ReadContext } from '../sql/read-context'
import { isBetween, type MessageConditions } from './conditions'
import { HOUR_SUMS, MESSAGE_SUMS, type MessageSums, selectMessages } from './message-sums'

/** Parts of the time that one statement reads messages of. */
const RANGES = 100
/** Over more hours than this all messages are read. */
const MOST_HOLES = 2_000

/** By what sums are grouped besides by their model. */
export interface HourGrouping {
  ofHours: string
  /** The same of messages `u` with these joins. */
  ofMessages: string
  joins: string
}

interface Asked {
  since?: number | undefined
  until?: number | undefined
}

/**
 * Sums of hours, and of the messages of hours that are asked for in part or whose sums do not tell their newest message. A group may come
 * in several rows.
 */
export async function selectByHours<Of>(
  context: ReadContext,
  { since, until }: Asked,
  { where, inTime, ofHours }: MessageConditions & { ofHours: RawBuilder<SqlBool> },
  { ofHours: of, ofMessages, joins }: HourGrouping,
): Promise<(MessageSums & { of: Of })[]> {
  const byMessages = async (time: RawBuilder<SqlBool>) =>
    await selectMessages<{ of: Of }>(context, `${ofMessages} as of, ${MESSAGE_SUMS}`, {
      ...{ joins, groupBy: ofMessages },
      where: sql`${where} and ${time}`,
    })
  const from = since === undefined ? undefined : Math.ceil(since / HOUR_MS)
  const to = until === undefined ? undefined : Math.floor(until / HOUR_MS)
  if (from !== undefined && to !== undefined && from >= to) return await byMessages(inTime)
  const isWhole: RawBuilder<SqlBool> =
    from === undefined && to === undefined
      ? sql`1 = 1`
      : sql`u.hour >= ${from ?? UNKNOWN_HOUR + 1} ${to === undefined ? sql`` : sql`and u.hour < ${to}`}`
  const holes = await readWorn(context, isWhole)
  if (holes.length > MOST_HOLES) return await byMessages(inTime)
  const { rows } = await sql<MessageSums & { of: Of }>`
    select ${sql.raw(`${of} as of, ${HOUR_SUMS}`)} from usage_hours u
     where ${isWhole} and ${ofHours} ${holes.length === 0 ? sql`` : sql`and ${context.capabilities.notInKeys(sql.ref<number>('u.hour'), holes)}`}
     group by ${sql.raw(of)}, u.model having sum(u.messages) <> 0
  `.execute(context.db)
  const parts = holes.map(isInHour)
  if (from !== undefined && from * HOUR_MS !== since) parts.push(isBetween(since, from * HOUR_MS))
  if (to !== undefined && to * HOUR_MS !== until) parts.push(isBetween(to * HOUR_MS, until))
  for (let at = 0; at < parts.length; at += RANGES)
    rows.push(...(await byMessages(sql`(${sql.join(parts.slice(at, at + RANGES), sql` or `)})`)))
  return rows
}

const isInHour = (hour: number): RawBuilder<SqlBool> =>
  hour === UNKNOWN_HOUR ? sql`u.at is null` : isBetween(hour * HOUR_MS, (hour + 1) * HOUR_MS)

/** Hours that a message left and that were not swept since. */
async function readWorn({ db }: ReadContext, isWhole: RawBuilder<SqlBool>): Promise<number[]> {
  const { rows } = await sql<{ hour: number }>`
    select distinct u.hour from usage_hours u where u.is_part > 0 and u.is_worn = 1 and ${isWhole}
  `.execute(db)
  return rows.map(({ hour }) => Number(hour))
}
