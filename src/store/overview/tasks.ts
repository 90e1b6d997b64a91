import { type RawBuilder, sql } from 'kysely'
import {
  type AgentName,
  type IssueId,
  type SessionId,
  sessionId,
  type TaskKey,
  taskId,
  taskKey,
} from '../../domain/ids'
import type { TaskFace, WeighedTask } from '../../domain/overview/overview-store'
import type { AttemptOutcome, FailureClass, TaskStatus } from '../../domain/task/task'
import type { ReadContext } from '../sql/read-context'
import { projectOf } from '../tasks/shown'

interface TaskRow {
  id: number
  public_id: string
  status: TaskStatus
  session_native_id: string | null
  agent_cli: AgentName | null
  needed_clis: string
  failure_class: FailureClass | null
  finished_at: number | null
  taken_up: number
  number: number | null
  started_at: number | null
  ended_at: number | null
  outcome: AttemptOutcome | null
  lease_expires_at: number | null
  lease_ms: number | null
}

/** With its newest attempt, whose number is the count of all. */
const SELECT =
  sql.raw(`select t.id, t.public_id, t.status, t.last_session_native_id as session_native_id, t.failure_class, a.agent_cli, t.needed_clis,
    t.finished_at, case when t.status = 'failed' and exists (select 1 from tasks c
      where c.parent_id = t.id and c.created_at >= t.finished_at) then 1 else 0 end as taken_up,
    a.number, a.started_at, a.ended_at, a.outcome, a.lease_expires_at, a.lease_ms
  from tasks t left join attempts a on a.task_id = t.id and a.number = t.attempt_count`)

async function select({ db }: ReadContext, rest: RawBuilder<unknown>): Promise<WeighedTask[]> {
  const { rows } = await sql<TaskRow>`${SELECT} ${rest}`.execute(db)
  return rows.map(toTask)
}

export async function openTasks(context: ReadContext, limit: number): Promise<WeighedTask[]> {
  const [atWork, lost] = await Promise.all([
    select(context, sql`where t.status = 'in_progress' order by t.id desc limit ${sql.lit(limit)}`),
    select(
      context,
      sql`where t.lost_count > 0 and t.status in ('unassigned', 'pending') order by t.id desc limit ${sql.lit(limit)}`,
    ),
  ])
  return [...atWork, ...lost]
}

export const finishedTasks = (context: ReadContext, since: number, limit: number): Promise<WeighedTask[]> =>
  select(
    context,
    // SQLite would rather look at all of these statuses than walk the index of the times.
    sql`where t.finished_at >= ${since} and coalesce(t.status, '') in ('completed', 'failed', 'cancelled')
      order by t.finished_at desc limit ${sql.lit(limit)}`,
  )

/** In no order. */
export const tasksByKey = async (context: ReadContext, keys: readonly TaskKey[]): Promise<WeighedTask[]> =>
  keys.length === 0 ? [] : select(context, sql`where ${context.capabilities.inKeys(sql.ref<number>('t.id'), keys)}`)

export async function tasksOfSessions(
  context: ReadContext,
  sessions: readonly SessionId[],
): Promise<ReadonlyMap<SessionId, WeighedTask[]>> {
  if (sessions.length === 0) return new Map()
  const { inTexts, jsonText } = context.capabilities
  const ofAttempt = sql.raw(jsonText('k.conversation', 'sessionId'))
  const { rows } = await sql<TaskRow & { of_session: string }>`
    select o.session as of_session, x.* from (
        select k.id as task_id, k.last_session_native_id as session from tasks k
         where k.last_session_native_id is not null and ${inTexts(sql.ref('k.last_session_native_id'), sessions)}
        union
        select k.task_id, ${ofAttempt} from attempts k where ${inTexts(ofAttempt, sessions)}
      ) as o join (${SELECT}) as x on x.id = o.task_id order by o.task_id desc`.execute(context.db)
  const found = new Map<SessionId, WeighedTask[]>()
  for (const row of rows) {
    const of = sessionId(row.of_session)
    found.set(of, [...(found.get(of) ?? []), toTask(row)])
  }
  return found
}

const number = (value: number | null): number | null => (value === null ? null : Number(value))

const toTask = (row: TaskRow): WeighedTask => ({
  key: taskKey(Number(row.id)),
  id: taskId(row.public_id),
  status: row.status,
  sessionId: row.session_native_id === null ? null : sessionId(row.session_native_id),
  agentCli: row.agent_cli ?? (JSON.parse(row.needed_clis) as AgentName[])[0] ?? null,
  failureClass: row.failure_class,
  finishedAt: number(row.finished_at),
  isTakenUp: Number(row.taken_up) === 1,
  attempt:
    row.number === null
      ? null
      : {
          number: Number(row.number),
          startedAt: Number(row.started_at),
          endedAt: number(row.ended_at),
          outcome: row.outcome,
          leaseExpiresAt: number(row.lease_expires_at),
          leaseMs: Number(row.lease_ms),
        },
})

interface FaceRow {
  id: number
  title: string
  project: string | null
  issue_id: IssueId | null
  agent_name: string | null
  agent_cli: AgentName | null
  host: string | null
  model: string | null
  started_at: number | null
  failure_reason: string | null
  output: string | null
  reason: string
  attempt_number: number | null
  attempt_reason: string | null
  exit_code: number | null
  signal: string | null
}

/** Characters of an output, and of a reason: more than is shown, so that who cuts sees that there is more. */
const OUTPUT = 600
const REASON = 2_001

export async function taskFaces(
  { db, capabilities }: ReadContext,
  keys: readonly TaskKey[],
): Promise<ReadonlyMap<TaskKey, TaskFace>> {
  if (keys.length === 0) return new Map()
  const { rows } = await sql<FaceRow>`
    select t.id, t.title, ${sql.raw(projectOf('root'))} as project, t.issue_id, g.name as agent_name, a.agent_cli,
      coalesce((select h.hostname from hosts h where h.name = a.host_name), g.hostname) as host, t.model,
      coalesce(case when a.ended_at is null then a.started_at end, t.started_at) as started_at,
      substr(t.failure_reason, 1, ${sql.lit(REASON)}) as failure_reason, substr(t.output, 1, ${sql.lit(OUTPUT)}) as output, t.reason,
      a.number as attempt_number, substr(a.failure_reason, 1, ${sql.lit(REASON)}) as attempt_reason, a.exit_code, a.signal
      from tasks t left join attempts a on a.task_id = t.id and a.number = t.attempt_count
      left join agents g on g.id = coalesce(a.agent_id, t.agent_id)
     where ${capabilities.inKeys(sql.ref<number>('t.id'), keys)}`.execute(db)
  return new Map(rows.map((row) => [taskKey(Number(row.id)), toFace(row)]))
}

const toFace = (row: FaceRow): TaskFace => ({
  title: row.title,
  project: row.project,
  issueId: row.issue_id,
  agentName: row.agent_name,
  agentCli: row.agent_cli,
  host: row.host,
  model: row.model,
  startedAt: number(row.started_at),
  failureReason: row.failure_reason,
  output: row.output,
  reason: row.reason,
  attempt:
    row.attempt_number === null
      ? null
      : { failureReason: row.attempt_reason, exitCode: number(row.exit_code), signal: row.signal },
})
