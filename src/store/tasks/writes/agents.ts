import { AppError } from '../../../domain/errors'
import { type AgentId, type AgentKey, agentKey } from '../../../domain/ids'
import type { AgentRow, NewAgent } from '../../../domain/task/task-store'
import { perText } from '../../sql/dialect'
import { first, insert, type Program, rows, run } from '../../sql/program'
import { AGENT } from '../rows'

const COLUMNS = AGENT.select('a')
const SELECT = perText((where) => `select ${COLUMNS} from agents a where ${where}`)

const NEW_FIELDS = AGENT.names('key', 'createdAt')

const INSERT = AGENT.insert(NEW_FIELDS, ['created_at'])

/** @throws `conflict` the id or the name is another agent's */
export function* insertAgent(now: number, row: NewAgent): Program<AgentKey> {
  const id = yield* insert(`${INSERT} on conflict do nothing`, ...AGENT.values(row, NEW_FIELDS), now)
  if (id === null) throw new AppError('conflict', `there is an agent ${row.name} already`)
  return agentKey(id)
}

export const agent = (id: AgentId): Program<AgentRow | undefined> => firstAgent('a.public_id = ?', id)

export const agentByKey = (key: AgentKey): Program<AgentRow | undefined> => firstAgent('a.id = ?', key)

export const agentByName = (name: string): Program<AgentRow | undefined> => firstAgent('a.name = ?', name)

export function* workersHeard(seenSince: number): Program<AgentRow[]> {
  const found = yield* rows<object>(
    `select ${COLUMNS} from agents a where a.kind = 'worker' and a.boot_id is not null and a.last_seen_at >= ? order by a.id`,
    seenSince,
  )
  return found.map((row) => AGENT.read(row))
}

export function* agentsOfHost(hostName: string): Program<AgentRow[]> {
  const found = yield* rows<object>(`select ${COLUMNS} from agents a where a.host_name = ? order by a.id`, hostName)
  return found.map((row) => AGENT.read(row))
}

export function* updateAgent(key: AgentKey, patch: Partial<Omit<AgentRow, 'key' | 'id' | 'createdAt'>>): Program<void> {
  const update = AGENT.update(patch)
  if (update) yield* run(update.sql, ...update.params, key)
}

export function* goneAgents(seenBefore: number): Program<AgentRow[]> {
  const found = yield* rows<object>(
    `select ${COLUMNS} from agents a where (a.last_seen_at is null or a.last_seen_at < ?) and (
       exists (select 1 from tasks t where t.agent_id = a.id and t.assigned_by in ('affinity', 'offer')
                 and t.status in ('backlog', 'unassigned', 'pending'))
       or exists (select 1 from tasks t where t.agent_id = a.id and t.status = 'paused' and t.paused_by = 'shutdown'))
     order by a.id`,
    seenBefore,
  )
  return found.map((row) => AGENT.read(row))
}

function* firstAgent(where: string, param: string | number): Program<AgentRow | undefined> {
  const found = yield* first<object>(SELECT(where), param)
  return found && AGENT.read(found)
}
