import { type SqlBool, sql } from 'kysely'
import type { AttemptId, SessionId, TaskId } from '../../domain/ids'
import { perDialect, type TaskDialect } from '../sql/dialect'
import type { Program } from '../sql/program'
import { statement } from '../sql/statement'

/** What rights go by: which tasks stand above one, and on which machines a conversation is at home. Reads without locks. */

type JsonWords = Pick<TaskDialect, 'jsonText'>

/** Rows that one walk gives; a chain of tasks is far shorter. */
const MAX_KIN = 1_000

/** Up by both links: under which task it was put, and to which task it reports. A circle ends the walk. */
const ABOVE = statement<{ id: TaskId }>()(
  (_, param) => sql<{ id: TaskId }>`
    with recursive above(id) as (
      select public_id from tasks where public_id = ${param('id')}
      union
      select case l.way when 0 then t.parent_task_id else t.reply_to end
        from above a join tasks t on t.public_id = a.id cross join (select 0 as way union all select 1 as way) l
       where case l.way when 0 then t.parent_task_id else t.reply_to end like 't-%'
    ) select id from above limit ${sql.lit(MAX_KIN)}`,
)

/** The task itself first, and those above it in no order. */
export function* above(id: TaskId): Program<TaskId[]> {
  return (yield* ABOVE.rows({ id })).map((row) => row.id)
}

/** Statements that look into JSON. */
const STATEMENTS = perDialect(({ jsonText }: JsonWords) => ({
  hosts: statement<{ session: SessionId }>()((db, param) =>
    db
      .selectFrom('sessions as s')
      .innerJoin('hosts as h', 'h.id', 's.host_id')
      .select('h.name')
      .where('s.native_id', '=', param('session'))
      .union(
        db
          .selectFrom('attempts as k')
          .select((eb) => eb.ref('k.host_name').$notNull().as('name'))
          .where(sql<SqlBool>`${sql.raw(jsonText('k.conversation', 'sessionId'))} = ${param('session')}`)
          .where('k.host_name', 'is not', null),
      )
      .limit(MAX_KIN),
  ),
  held: statement<{ host: string; session: SessionId }>()((db, param) =>
    db
      .selectFrom('attempts as k')
      .innerJoin('tasks as t', 't.id', 'k.task_id')
      .leftJoin('tasks as p', 'p.id', 't.parent_id')
      .select('k.id')
      .where('k.ended_at', 'is', null)
      .where('k.host_name', '=', param('host'))
      .where((eb) =>
        eb.or([
          eb('t.last_session_native_id', '=', param('session')),
          eb('t.next_session_native_id', '=', param('session')),
          eb.and([eb('t.continuity', '=', 'continue'), eb('p.last_session_native_id', '=', param('session'))]),
          eb.exists(
            db
              .selectFrom('attempts as o')
              .select('o.id')
              .whereRef('o.task_id', '=', sql.ref('t.id'))
              .where(sql<SqlBool>`${sql.raw(jsonText('o.conversation', 'sessionId'))} = ${param('session')}`),
          ),
        ]),
      )
      .limit(1),
  ),
}))

/** Machines on which the session is at home: where it was first seen, and where attempts were in it. */
export function* hostsOf(db: JsonWords, session: SessionId): Program<string[]> {
  return (yield* STATEMENTS(db).hosts.rows({ session })).map(({ name }) => name)
}

/**
 * Whether a machine may have the session: it is at home there, an attempt that works there is to go on in it, or nobody knows it.
 */
export function* isOfHost(db: JsonWords, host: string, session: SessionId): Program<boolean> {
  const hosts = yield* hostsOf(db, session)
  if (hosts.length === 0 || hosts.includes(host)) return true
  return (yield* STATEMENTS(db).held.first({ host, session })) !== undefined
}

const HOST_KEY = statement<{ id: AttemptId }>()((db, param) =>
  db
    .selectFrom('attempts as k')
    .innerJoin('agents as a', 'a.id', 'k.agent_id')
    .select('a.host_key_hash as hash')
    .where('k.public_id', '=', param('id')),
)

/** By which key the machine of an attempt's agent proved itself. */
export function* hostKeyOfAttempt(id: AttemptId): Program<Uint8Array | null> {
  return (yield* HOST_KEY.first({ id }))?.hash ?? null
}
