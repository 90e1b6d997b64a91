import type { Kysely } from 'kysely'
import { sql } from 'kysely'
import { AppError } from '../../../domain/errors'
import { type AgentId, type AgentKey, agentKey } from '../../../domain/ids'
import type { AgentRow, NewAgent } from '../../../domain/task/task-store'
import type { Program } from '../../sql/program'
import { insertRow, selectRows, updateRow } from '../../sql/row-statements'
import { statement } from '../../sql/statement'
import type { Schema } from '../../sql/tables'
import { AGENT } from '../rows'
import type { ReadAgents } from './read-agents'

const INSERT = insertRow(AGENT, AGENT.names('key', 'createdAt'), ['created_at'], (insert) =>
  insert.onConflict((conflict) => conflict.doNothing()),
)

/** @throws `conflict` the id or the name is another agent's */
export function* insertAgent(now: number, row: NewAgent): Program<AgentKey> {
  const id = yield* INSERT.insert(row, { created_at: now })
  if (id === null) throw new AppError('conflict', `An agent named ${row.name} already exists.`)
  return agentKey(id)
}

const agents = (db: Kysely<Schema>) => selectRows(db, AGENT, 'a')

const BY_ID = statement<{ id: AgentId }>()((db, param) => agents(db).where('a.public_id', '=', param('id')))
const BY_KEY = statement<{ key: AgentKey }>()((db, param) => agents(db).where('a.id', '=', param('key')))
const BY_NAME = statement<{ name: string }>()((db, param) => agents(db).where('a.name', '=', param('name')))

export function* agent(read: ReadAgents, id: AgentId): Program<AgentRow | undefined> {
  const known = read.withId(id)
  if (known !== undefined) return known
  const row = yield* BY_ID.first({ id })
  return read.read(row && AGENT.read(row))
}

export function* agentByKey(read: ReadAgents, key: AgentKey): Program<AgentRow | undefined> {
  const known = read.withKey(key)
  if (known !== undefined) return known
  const row = yield* BY_KEY.first({ key })
  return read.read(row && AGENT.read(row))
}

export function* agentByName(read: ReadAgents, name: string): Program<AgentRow | undefined> {
  const row = yield* BY_NAME.first({ name })
  return read.read(row && AGENT.read(row))
}

const HEARD = statement<{ seenSince: number }>()((db, param) =>
  agents(db)
    .where('a.kind', '=', 'worker')
    .where('a.boot_id', 'is not', null)
    .where('a.last_seen_at', '>=', param('seenSince'))
    .orderBy('a.id'),
)

export function* workersHeard(seenSince: number): Program<AgentRow[]> {
  return (yield* HEARD.rows({ seenSince })).map((row) => AGENT.read(row))
}

const OF_ACCOUNT = statement<{ account: string }>()((db, param) =>
  agents(db).where('a.account', '=', param('account')).orderBy('a.id'),
)

export function* agentsOfAccount(account: string): Program<AgentRow[]> {
  return (yield* OF_ACCOUNT.rows({ account })).map((row) => AGENT.read(row))
}

const OF_HOST = statement<{ hostName: string }>()((db, param) =>
  agents(db).where('a.host_name', '=', param('hostName')).orderBy('a.id'),
)

export function* agentsOfHost(hostName: string): Program<AgentRow[]> {
  return (yield* OF_HOST.rows({ hostName })).map((row) => AGENT.read(row))
}

export function* updateAgent(
  read: ReadAgents,
  key: AgentKey,
  patch: Partial<Omit<AgentRow, 'key' | 'id' | 'createdAt'>>,
): Program<void> {
  read.written(key)
  yield* updateRow(AGENT, patch, key)
}

const GONE = statement<{ seenBefore: number }>()((db, param) => {
  const tasks = db.selectFrom('tasks as t').select(sql.lit(1).as('one')).whereRef('t.agent_id', '=', sql.ref('a.id'))
  return agents(db)
    .where((eb) => eb.or([eb('a.last_seen_at', 'is', null), eb('a.last_seen_at', '<', param('seenBefore'))]))
    .where((eb) =>
      eb.or([
        eb.exists(
          tasks
            .where('t.assigned_by', 'in', ['affinity', 'offer'])
            .where('t.status', 'in', ['backlog', 'unassigned', 'pending']),
        ),
        eb.exists(tasks.where('t.status', '=', 'paused').where('t.paused_by', '=', 'shutdown')),
      ]),
    )
    .orderBy('a.id')
})

export function* goneAgents(seenBefore: number): Program<AgentRow[]> {
  return (yield* GONE.rows({ seenBefore })).map((row) => AGENT.read(row))
}
