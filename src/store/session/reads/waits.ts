import { sql } from 'kysely'
import { type SessionId, sessionId } from '../../../domain/ids'
import type { ReadContext } from '../../sql/read-context'

/** When a run of a session waited for a person. Milliseconds. */
export interface SessionWait {
  session: number
  from: number
  /** `null` = it still waits. */
  to: number | null
}

/**
 * When runs of these sessions waited for an answer to a call. A question that nobody answered was waited for until its deadline, or until the
 * run was over.
 *
 * @param keys   of sessions
 * @param until  only what was asked by then, in milliseconds
 */
export async function readWaits(
  { db, capabilities }: ReadContext,
  keys: readonly number[],
  until: number,
): Promise<SessionWait[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<{ session: number; asked_at: number; over_at: number | null; ended_at: number | null }>`
    select s.id as session, q.asked_at, a.ended_at,
      case when q.status = 'open' then null else coalesce(q.answered_at, q.deadline) end as over_at
      from sessions s
      join attempts a on ${sql.raw(capabilities.jsonText('a.conversation', 'sessionId'))} = s.native_id
      join questions q on q.task_id = a.task_id and q.attempt_id = a.id
     where ${capabilities.inKeys(sql.ref<number>('s.id'), keys)} and q.asked_at <= ${until}
     order by q.asked_at, q.id
  `.execute(db)
  return rows.map(({ session, asked_at, over_at, ended_at }) => {
    const ends = [over_at, ended_at].flatMap((at) => (at === null ? [] : [Number(at)]))
    return { session: Number(session), from: Number(asked_at), to: ends.length === 0 ? null : Math.min(...ends) }
  })
}

/** @see SessionReads.asking */
export async function readAsking({ db, capabilities }: ReadContext): Promise<ReadonlyMap<SessionId, string>> {
  const { rows } = await sql<{ session: string | null; question: string }>`
    select ${sql.raw(capabilities.jsonText('a.conversation', 'sessionId'))} as session, q.public_id as question
      from questions q join attempts a on a.id = q.attempt_id
     where q.status = 'open' and a.ended_at is null
     order by q.id desc
  `.execute(db)
  return new Map(rows.flatMap(({ session, question }) => (session === null ? [] : [[sessionId(session), question]])))
}
