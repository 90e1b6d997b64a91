import type { AttemptId, SessionId, TaskId } from '../../domain/ids'
import type { TaskDialect } from '../sql/dialect'
import { first, type Program, rows } from '../sql/program'

/** What rights go by: which tasks stand above one, and on which machines a conversation is at home. Reads without locks. */

type JsonWords = Pick<TaskDialect, 'jsonText'>

/** Rows that one walk gives; a chain of tasks is far shorter. */
const MAX_KIN = 1_000

/** Up by both links: under which task it was put, and to which task it reports. A circle ends the walk. */
const ABOVE = `
  with recursive above(id) as (
    select public_id from tasks where public_id = ?
    union
    select case l.way when 0 then t.parent_task_id else t.reply_to end
      from above a join tasks t on t.public_id = a.id cross join (select 0 as way union all select 1 as way) l
     where case l.way when 0 then t.parent_task_id else t.reply_to end like 't-%'
  ) select id from above limit ${MAX_KIN}`

/** The task itself first, and those above it in no order. */
export function* above(id: TaskId): Program<TaskId[]> {
  const found = yield* rows<{ id: TaskId }>(ABOVE, id)
  return found.map((row) => row.id)
}

/** Machines on which the session is at home: where it was first seen, and where attempts were in it. */
export function* hostsOf(db: JsonWords, session: SessionId): Program<string[]> {
  const found = yield* rows<{ name: string }>(
    `select h.name as name from sessions s join hosts h on h.id = s.host_id where s.native_id = ?
     union
     select k.host_name from attempts k where ${db.jsonText('k.conversation', 'sessionId')} = ? and k.host_name is not null
     limit ${MAX_KIN}`,
    session,
    session,
  )
  return found.map(({ name }) => name)
}

/**
 * Whether a machine may have the session: it is at home there, an attempt that works there is to go on in it, or nobody knows it.
 */
export function* isOfHost(db: JsonWords, host: string, session: SessionId): Program<boolean> {
  const hosts = yield* hostsOf(db, session)
  if (hosts.length === 0 || hosts.includes(host)) return true
  const held = yield* first<{ one: number }>(
    `select 1 as one from attempts k join tasks t on t.id = k.task_id left join tasks p on p.id = t.parent_id
      where k.ended_at is null and k.host_name = ?
        and (t.last_session_native_id = ? or t.next_session_native_id = ?
          or (t.continuity = 'continue' and p.last_session_native_id = ?)
          or exists (select 1 from attempts o where o.task_id = t.id and ${db.jsonText('o.conversation', 'sessionId')} = ?))
      limit 1`,
    host,
    session,
    session,
    session,
    session,
  )
  return held !== undefined
}

/** By which key the machine of an attempt's agent proved itself. */
export function* hostKeyOfAttempt(id: AttemptId): Program<Uint8Array | null> {
  const found = yield* first<{ hash: Uint8Array | null }>(
    'select a.host_key_hash as hash from attempts k join agents a on a.id = k.agent_id where k.public_id = ?',
    id,
  )
  return found?.hash ?? null
}
