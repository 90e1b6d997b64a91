import { sql } from 'kysely'
import { type AgentId, agentId, type TaskId, taskId } from '../../../domain/ids'
import type { Attempt } from '../../../domain/task/task'
import type { AttemptRow } from '../../../domain/task/task-store'
import { byHash } from '../../sql/by-hash'
import { pick } from '../../sql/columns'
import { isoTime, type ReadContext } from '../../sql/read-context'
import { ATTEMPT, ATTEMPT_COLUMNS, readAttempt } from '../rows'
import { HAS_QUESTION } from '../shown'

/** An attempt's row with what other tables say of it. */
interface ShownAttempt {
  agentId: string
  agentName: string
  host: string | null
}

const COLUMNS = `${ATTEMPT_COLUMNS}, g.public_id as "agentId", g.name as "agentName",
    coalesce((select h.hostname from hosts h where h.name = a.host_name), g.hostname) as host`
const TABLES = 'attempts a join tasks t on t.id = a.task_id join agents g on g.id = a.agent_id'

const SELECT = sql.raw(`select ${COLUMNS} from ${TABLES}`)
const WITH_TITLE = sql.raw(`select ${COLUMNS}, t.title, ${HAS_QUESTION} as "hasQuestion" from ${TABLES}`)

/** A task's attempts, the first one first. */
export async function listAttempts({ db }: ReadContext, id: TaskId): Promise<Attempt[]> {
  const { rows } = await sql<ShownAttempt>`${SELECT} where t.public_id = ${id} order by a.number`.execute(db)
  return rows.map(toAttempt)
}

/** Attempts that are live with their tasks' titles and whether a question of theirs waits for an answer, those whose lease runs out first before others. */
export async function listLiveAttempts(
  { db }: ReadContext,
  limit: number,
): Promise<{ attempt: Attempt; title: string; isWaiting: boolean }[]> {
  const { rows } = await sql<ShownAttempt & { title: string; hasQuestion: number }>`
    ${WITH_TITLE} where a.ended_at is null order by a.lease_expires_at, a.id limit ${limit}`.execute(db)
  return rows.map((row) => ({
    attempt: toAttempt(row),
    title: row.title,
    isWaiting: Number(row.hasQuestion) === 1,
  }))
}

/** The attempts that have these tokens, whether they are live or over. */
export async function findAttemptsByToken(
  { db, capabilities }: ReadContext,
  hashes: readonly Uint8Array[],
): Promise<((AttemptRow & { agentId: AgentId }) | undefined)[]> {
  const { rows } = await capabilities.selectByHash<ShownAttempt>(COLUMNS, TABLES, 'a.token_hash', hashes).execute(db)
  const found = rows.map(({ agentName: _, host: __, ...attempt }) => ({
    ...readAttempt(attempt),
    agentId: agentId(attempt.agentId),
  }))
  return byHash(hashes, found, ({ tokenHash }) => tokenHash)
}

/** What an attempt shows as its row has it. */
const ALIKE = ATTEMPT.names(
  'key',
  'taskKey',
  'agentKey',
  'bootId',
  'tokenHash',
  'wish',
  'wishReason',
  'leaseMs',
  'pid',
  'pidStarted',
) satisfies readonly (keyof Attempt)[]

/** An attempt as the API gives it. */
export function toAttempt(selected: ShownAttempt): Attempt {
  const row = readAttempt(selected)
  return {
    ...pick(row, ALIKE),
    taskId: taskId(row.taskId),
    isLive: row.endedAt === null,
    agentId: agentId(selected.agentId),
    agentName: selected.agentName,
    host: selected.host,
    process: row.pid === null ? null : { pid: row.pid, startedAt: row.pidStarted },
    leaseExpiresAt: isoTime(row.leaseExpiresAt),
    startedAt: isoTime(row.startedAt),
    endedAt: isoTime(row.endedAt),
  }
}
