import { sql } from 'kysely'
import type { Cost } from '../../domain/cost/price'
import { type SessionKey, sessionKey, type TaskKey, taskKey } from '../../domain/ids'
import { MESSAGE_SUMS, selectMessages } from '../costs/message-sums'
import { groupRows, sumCost } from '../session/reads/usage-totals'
import type { ReadContext } from '../sql/read-context'

/** Along the index of a session's times. */
export async function linesByPart(
  { db, capabilities }: ReadContext,
  keys: readonly SessionKey[],
  since: number,
  partMs: number,
): Promise<ReadonlyMap<SessionKey, ReadonlyMap<number, number>>> {
  if (keys.length === 0) return new Map()
  const { rows } = await sql<{ session_id: number; part: number; count: number }>`
    select session_id, (at - ${sql.lit(since)}) / ${sql.lit(partMs)} as part, count(*) as count
      from conversation_events
     where ${capabilities.inKeys(sql.ref<number>('session_id'), keys)} and at >= ${since}
     group by 1, 2`.execute(db)
  return new Map(
    [...groupRows(rows, (row) => sessionKey(Number(row.session_id)))].map(([key, parts]) => [
      key,
      new Map(parts.map(({ part, count }) => [Number(part), Number(count)])),
    ]),
  )
}

/** A question that nobody answered was waited for until its deadline. */
export async function waitsOfTasks(
  { db, capabilities }: ReadContext,
  keys: readonly TaskKey[],
  since: number,
): Promise<ReadonlyMap<TaskKey, readonly { from: number; to: number | null }[]>> {
  if (keys.length === 0) return new Map()
  const { rows } = await sql<{ task_id: number; asked_at: number; ended_at: number | null }>`
    select task_id, asked_at, case when status = 'open' then null else coalesce(answered_at, deadline) end as ended_at
      from questions
     where ${capabilities.inKeys(sql.ref<number>('task_id'), keys)}
       and (status = 'open' or coalesce(answered_at, deadline) >= ${since})
     order by asked_at, id`.execute(db)
  return new Map(
    [...groupRows(rows, (row) => taskKey(Number(row.task_id)))].map(([key, waits]) => [
      key,
      waits.map(({ asked_at, ended_at }) => ({
        from: Number(asked_at),
        to: ended_at === null ? null : Number(ended_at),
      })),
    ]),
  )
}

/** Along the index of times: a session may have many messages, an hour has few. */
export async function costsSince(
  context: ReadContext,
  keys: readonly SessionKey[],
  since: number,
): Promise<ReadonlyMap<SessionKey, Cost>> {
  if (keys.length === 0) return new Map()
  const ofSessions = context.capabilities.inKeys(sql<number>`(u.session_id + 0)`, keys)
  const rows = await selectMessages<{ session_id: number }>(context, `u.session_id, ${MESSAGE_SUMS}`, {
    where: sql`u.at >= ${since} and ${ofSessions}`,
    groupBy: 'u.session_id',
  })
  return new Map(
    [...groupRows(rows, (row) => sessionKey(Number(row.session_id)))].map(([key, sums]) => [
      key,
      sumCost(sums, context.costOf),
    ]),
  )
}
