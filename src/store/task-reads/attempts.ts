import { sql } from 'kysely'
import { type AgentId, agentId, attemptId, type TaskId, taskId } from '../../domain/ids'
import type { Attempt } from '../../domain/task'
import type { AttemptRow } from '../../domain/task-store'
import { isoTime, type ReadContext } from '../read-context'
import { ATTEMPT_COLUMNS, readAttempt } from '../tasks/rows'
import { HAS_QUESTION } from '../tasks/shown'

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

/** The attempt that has this token, whether it is live or over. */
export async function findAttemptByToken(
  { db }: ReadContext,
  hash: Uint8Array,
): Promise<(AttemptRow & { agentId: AgentId }) | undefined> {
  const { rows } = await sql<ShownAttempt>`${SELECT} where a.token_hash = ${hash}`.execute(db)
  const row = rows[0]
  if (row === undefined) return undefined
  const { agentName: _, host: __, ...attempt } = row
  return { ...readAttempt(attempt), agentId: agentId(row.agentId) }
}

function toAttempt(selected: ShownAttempt): Attempt {
  const row = readAttempt(selected)
  return {
    id: attemptId(row.id),
    taskId: taskId(row.taskId),
    number: row.number,
    isLive: row.endedAt === null,
    agentId: agentId(selected.agentId),
    agentName: selected.agentName,
    host: selected.host,
    hostName: row.hostName,
    conversation: row.conversation,
    dispatchReason: row.dispatchReason,
    cwd: row.cwd,
    branch: row.branch,
    base: row.base,
    cliVersion: row.cliVersion,
    process: row.pid === null ? null : { pid: row.pid, startedAt: row.pidStarted },
    leaseExpiresAt: isoTime(row.leaseExpiresAt),
    startedAt: isoTime(row.startedAt),
    endedAt: isoTime(row.endedAt),
    outcome: row.outcome,
    failureClass: row.failureClass,
    failureReason: row.failureReason,
    exitCode: row.exitCode,
    signal: row.signal,
    numTurns: row.numTurns,
    costUsd: row.costUsd,
    usage: row.usage,
  }
}
