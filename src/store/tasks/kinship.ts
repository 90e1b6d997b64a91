import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { AgentId, AttemptId, SessionId, TaskId } from '../../domain/ids'
import type { Awaitable } from '../../domain/port'
import type { AgentHost, AttemptOwner, AttemptPlace, Kinship, TaskKin } from '../../domain/task/kinship'
import { perDialect, type TaskDialect } from '../sql/dialect'
import type { Program } from '../sql/program'
import { statement } from '../sql/statement'

/** What rights go by: which tasks stand above one, and on which machines a conversation is at home. Reads without locks. */

type JsonWords = Pick<TaskDialect, 'jsonText'>

/** Rows that one walk gives; a chain of tasks is far shorter. */
const MAX_KIN = 1_000
const MAX_FAMILY = 10_000

/** Up by both links: under which task it was put, and to which task it reports. A circle ends the walk. */
const aboveOf = (id: RawBuilder<unknown>) => sql`above(id) as (
      select public_id from tasks where public_id = ${id}
      union
      select case l.way when 0 then t.parent_task_id else t.reply_to end
        from above a join tasks t on t.public_id = a.id cross join (select 0 as way union all select 1 as way) l
       where case l.way when 0 then t.parent_task_id else t.reply_to end like 't-%'
    )`

const ABOVE = statement<{ id: TaskId }>()(
  (_, param) => sql<{ id: TaskId }>`
    with recursive ${aboveOf(param('id'))} select id from above limit ${sql.lit(MAX_KIN)}`,
)

/** Keys of a task's family, as `Kinship.familyOf` says. */
export const familyKeys = (id: RawBuilder<unknown>) => sql`
    with recursive ${aboveOf(id)},
    tree(id) as (
      select t.id from tasks t where t.public_id in (select id from above)
      union
      select c.id from tree join tasks c on c.parent_id = tree.id
    )
    select id from tree
    union select t.id from tasks o join tasks t on t.plan_id = o.plan_id where o.public_id = ${id}
    union select d.depends_on from tasks o join task_dependencies d on d.task_id = o.id where o.public_id = ${id}`

const FAMILY = statement<{ id: TaskId }>()(
  (_, param) => sql<{ id: TaskId }>`
    select public_id as id from tasks where id in (${familyKeys(param('id'))}) limit ${sql.lit(MAX_FAMILY)}`,
)

function* familyOf(id: TaskId): Program<TaskId[]> {
  return (yield* FAMILY.rows({ id })).map((row) => row.id)
}

/** The task itself first, and those above it in no order. */
function* above(id: TaskId): Program<TaskId[]> {
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
  place: statement<{ id: AttemptId }>()((db, param) =>
    db
      .selectFrom('attempts as k')
      .select([
        'k.cwd as cwd',
        'k.host_name as hostName',
        sql<SessionId | null>`${sql.raw(jsonText('k.conversation', 'sessionId'))}`.as('sessionId'),
      ])
      .where('k.public_id', '=', param('id')),
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
function* hostsOf(db: JsonWords, session: SessionId): Program<string[]> {
  return (yield* STATEMENTS(db).hosts.rows({ session })).map(({ name }) => name)
}

/**
 * Whether a machine may have the session: it is at home there, an attempt that works there is to go on in it, or nobody knows it.
 */
function* isOfHost(db: JsonWords, host: string, session: SessionId): Program<boolean> {
  const hosts = yield* hostsOf(db, session)
  if (hosts.length === 0 || hosts.includes(host)) return true
  return (yield* STATEMENTS(db).held.first({ host, session })) !== undefined
}

const KIN = statement<{ id: TaskId }>()((db, param) =>
  db
    .selectFrom('tasks as t')
    .leftJoin('agents as a', 'a.id', 't.agent_id')
    .leftJoin('agents as c', 'c.id', 't.creator_agent_id')
    .select([
      't.public_id as id',
      'a.public_id as agentId',
      'c.public_id as creatorId',
      't.parent_task_id as parentTaskId',
      't.spawned_session_native_id as spawnedSessionId',
      't.last_session_native_id as lastSessionId',
      't.task_type as taskType',
      't.reply_to as replyTo',
      't.dir as dir',
    ])
    .where('t.public_id', '=', param('id')),
)

/** What rights to a task go by. */
function* kinOf(id: TaskId): Program<TaskKin | undefined> {
  return yield* KIN.first({ id })
}

const OWNER = statement<{ id: AttemptId }>()((db, param) =>
  db
    .selectFrom('attempts as k')
    .innerJoin('agents as a', 'a.id', 'k.agent_id')
    .select(['a.public_id as agentId', 'a.host_key_hash as hostKeyHash'])
    .where('k.public_id', '=', param('id')),
)

/** The agent of an attempt, and the key by which that agent's machine proved itself. */
function* ownerOfAttempt(id: AttemptId): Program<AttemptOwner | undefined> {
  return yield* OWNER.first({ id })
}

const HOST = statement<{ id: AgentId }>()((db, param) =>
  db
    .selectFrom('agents as a')
    .select(['a.host_name as hostName', 'a.host_key_hash as hostKeyHash'])
    .where('a.public_id', '=', param('id')),
)

/** The machine that an agent joined from. */
function* hostOfAgent(id: AgentId): Program<AgentHost | undefined> {
  return yield* HOST.first({ id })
}

/** The conversation that an attempt is in, and where it works; as its worker told it. */
function* placeOfAttempt(db: JsonWords, id: AttemptId): Program<AttemptPlace | undefined> {
  return yield* STATEMENTS(db).place.first({ id })
}

/** The reads of rights over either way to the database. */
export const kinship = (db: JsonWords, drive: <T>(program: Program<T>) => Awaitable<T>): Kinship => ({
  kinOf: (id) => drive(kinOf(id)),
  above: (id) => drive(above(id)),
  familyOf: (id) => drive(familyOf(id)),
  ownerOfAttempt: (id) => drive(ownerOfAttempt(id)),
  hostOfAgent: (id) => drive(hostOfAgent(id)),
  placeOfAttempt: (id) => drive(placeOfAttempt(db, id)),
  hostsOf: (session) => drive(hostsOf(db, session)),
  isOfHost: (host, session) => drive(isOfHost(db, host, session)),
})
