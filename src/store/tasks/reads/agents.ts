import { type RawBuilder, sql } from 'kysely'
import type { Agent } from '../../../domain/agent'
import type { AgentId, TaskId } from '../../../domain/ids'
import type { AgentRow, PresentedAgent } from '../../../domain/task/task-store'
import { DEFAULT_LEASE_MS } from '../../../domain/task/worker-protocol'
import { byHash } from '../../sql/by-hash'
import { pick } from '../../sql/columns'
import { isoTime, type ReadContext } from '../../sql/read-context'
import { AGENT } from '../rows'

const COLUMNS = sql.raw(AGENT.select('g'))

export async function listAgents(context: ReadContext): Promise<Agent[]> {
  return await selectAgents(context, sql`where g.removed_at is null order by g.id`)
}

/** An id goes before a name that looks like it. */
export async function findAgent(context: ReadContext, idOrName: string): Promise<Agent | undefined> {
  const found = await selectAgents(
    context,
    sql`where g.public_id = ${idOrName} or g.name = ${idOrName}
        order by case when g.public_id = ${idOrName} then 0 else 1 end limit 1`,
  )
  return found[0]
}

/** Ids of agents that are remembered. */
const KNOWN_AGENTS = 10_000

/** @see TaskReads.isAgent. An id that was found once need not be looked for again, unlike a name. */
export function knowingAgents(context: ReadContext): (idOrName: string) => Promise<boolean> {
  const known = new Set<string>()
  return async (idOrName) => {
    if (known.has(idOrName)) return true
    const found = await findAgent(context, idOrName)
    if (found?.id === idOrName) {
      if (known.size >= KNOWN_AGENTS) known.clear()
      known.add(idOrName)
    }
    return found !== undefined
  }
}

interface Enrolled {
  enrollment: number | null
  expiresAt: number | null
  revokedAt: number | null
}

const WITH_ENROLLMENT = `${AGENT.select('g')}, n.id as enrollment, n.expires_at as "expiresAt", n.revoked_at as "revokedAt"`
const AND_ENROLLMENTS = `agents g
  left join tokens n on n.id = (select max(o.id) from tokens o where o.agent_public_id = g.public_id)`

/** @see TaskReads.agentByToken. One statement: each request of a worker begins with it. */
export async function findAgentsByToken(
  { db, capabilities }: ReadContext,
  hashes: readonly Uint8Array[],
): Promise<(PresentedAgent | undefined)[]> {
  const { rows } = await capabilities
    .selectByHash<Enrolled>(WITH_ENROLLMENT, AND_ENROLLMENTS, 'g.token_hash', hashes)
    .execute(db)
  const found = rows.map((row): PresentedAgent => {
    const { enrollment, expiresAt, revokedAt, ...agent } = AGENT.read(row)
    return { agent, enrollment: enrollment === null ? null : { expiresAt, revokedAt } }
  })
  return byHash(hashes, found, ({ agent }) => agent.tokenHash)
}

export async function findAgentRow({ db }: ReadContext, id: AgentId): Promise<AgentRow | undefined> {
  const { rows } = await sql<object>`select ${COLUMNS} from agents g where g.public_id = ${id}`.execute(db)
  return rows[0] && AGENT.read(rows[0])
}

async function selectAgents({ db, capabilities }: ReadContext, rest: RawBuilder<unknown>): Promise<Agent[]> {
  const { rows } = await sql<{ running: number; now: number }>`
    select ${COLUMNS}, ${capabilities.now()} as now,
      (select count(*) from attempts a where a.agent_id = g.id and a.ended_at is null) as running
    from agents g ${rest}
  `.execute(db)
  return rows.map(toAgent)
}

/** What an agent shows as its row has it. */
const ALIKE = AGENT.names(
  'key',
  'hostname',
  'hostName',
  'bootId',
  'limitedUntil',
  'drainingSince',
  'restartAskedAt',
  'removedAt',
  'account',
  'tokenHash',
  'lastSeenAt',
  'createdAt',
  'instructions',
  'hostKeyHash',
  'maxPermissionMode',
  'cliLimits',
  'fallsOver',
) satisfies readonly (keyof Agent)[]

function toAgent(selected: { running: number; now: number }): Agent {
  const row = AGENT.read(selected)
  const isOnline = row.bootId !== null && row.lastSeenAt !== null && selected.now - row.lastSeenAt <= DEFAULT_LEASE_MS
  return {
    ...pick(row, ALIKE),
    status: isOnline ? 'online' : 'offline',
    host: row.hostname,
    running: selected.running,
    limitedUntil: isoTime(row.limitedUntil),
    drainingSince: isoTime(row.drainingSince),
    restartAskedAt: isoTime(row.restartAskedAt),
    isSpecialist: row.instructions !== null,
    createdAt: isoTime(row.createdAt),
    lastSeenAt: isoTime(row.lastSeenAt),
  }
}

export async function instructionsOf({ db }: ReadContext, id: AgentId): Promise<string | null> {
  const row = await db.selectFrom('agents').select('instructions').where('public_id', '=', id).executeTakeFirst()
  return row?.instructions ?? null
}

/** @see TaskReads.instructionsFor */
export async function instructionsFor(
  { db }: ReadContext,
  task: TaskId,
): Promise<{ agent: string; instructions: string } | undefined> {
  const { rows } = await sql<{ agent: string; instructions: string }>`
    select g.name as agent, g.instructions from tasks t
      join agents g on g.public_id = coalesce(t.specialist, (select o.public_id from agents o where o.id = t.agent_id))
    where t.public_id = ${task} and g.instructions <> ''
  `.execute(db)
  return rows[0]
}
