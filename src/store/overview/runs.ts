import { type RawBuilder, sql } from 'kysely'
import { UNKNOWN_COST } from '../../domain/cost/price'
import { type AgentName, sessionId, sessionKey, subagentId } from '../../domain/ids'
import type { RunFace, WeighedRun } from '../../domain/overview/overview-store'
import type { EndStatus } from '../../domain/record/observation'
import { groupRows, sumCost } from '../session/reads/usage-totals'
import { nodeState, runState, SHELL_COLUMNS, SHELL_JOIN, type StateColumns } from '../session/run-state'
import { type SignalColumns, signalsOf } from '../session/session-signals'
import type { ReadContext } from '../sql/read-context'
import { IS_UNSEEN } from '../unseen-agents'
import { weighedColumns } from './sessions'

/** A run with what its sub-agent and its session tell; columns of the same name are the session's. */
interface Row extends Omit<StateColumns, 'last_event_at'>, SignalColumns {
  session_key: number
  native_id: string
  has_task: number
  live_at: number | null
  agent: AgentName
  subagent_key: number
  subagent_native_id: string
  number: number
  kind: WeighedRun['kind']
  node_event_at: number | null
  run_status: EndStatus | null
  run_evidence: string
  run_started_at: number | null
  run_ended_at: number | null
  run_read_at: number | null
  is_newest: number
}

/** Shells and monitors are in the background unless something says otherwise. */
const IS_BACKGROUND = sql.raw(
  "a.kind <> 'internal' and (a.is_background = 1 or (a.kind in ('shell', 'monitor') and coalesce(a.is_background, 1) = 1))",
)

const IS_NEWEST = sql.raw(`case when exists (select 1 from subagent_runs n
  where n.subagent_id = r.subagent_id and n.number > r.number) then 0 else 1 end`)

/** @param order  also the index that is walked; rows that are no background work are passed over on the way */
async function select(
  context: ReadContext,
  where: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
  limit: number,
): Promise<WeighedRun[]> {
  const { rows } = await sql<Row>`
    select s.id as session_key, ${weighedColumns(context)}, a.id as subagent_key, a.native_id as subagent_native_id, r.number, a.kind, a.is_background,
      a.last_started_at, a.last_event_at as node_event_at, a.end_status, a.end_at, a.end_evidence, a.hook_started_at,
      a.hook_end_status, a.hook_end_at, a.hook_end_evidence, a.final_at, a.turn_at, u.is_error as launch_failed,
      u.ended_at as launch_ended_at, ${sql.raw(SHELL_COLUMNS)}, r.status as run_status, r.evidence as run_evidence, r.started_at as run_started_at,
      r.ended_at as run_ended_at, r.read_at as run_read_at, ${IS_NEWEST} as is_newest
      from subagent_runs r join subagents a on a.id = r.subagent_id join sessions s on s.id = r.session_id
      left join tool_uses u on u.session_id = a.session_id and u.tool_use_id = a.tool_use_id ${sql.raw(SHELL_JOIN)}
     where ${where} and ${IS_BACKGROUND} order by ${order} desc limit ${sql.lit(limit)}`.execute(context.db)
  return rows.map(toRun)
}

export const unreadRuns = (context: ReadContext, since: number, limit: number): Promise<WeighedRun[]> =>
  select(
    context,
    sql`r.read_at is null and coalesce(r.ended_at, r.started_at, 0) >= ${since}
      and not exists (select 1 from subagent_reads d where d.session_native_id = s.native_id
        and d.subagent_native_id = a.native_id and d.run_number = r.number)`,
    sql`coalesce(r.ended_at, r.started_at, 0)`,
    limit,
  )

export const endedRuns = (context: ReadContext, since: number, limit: number): Promise<WeighedRun[]> =>
  select(context, sql`r.ended_at is not null and r.ended_at >= ${since}`, sql`r.ended_at`, limit)

const number = (value: number | null): number | null => (value === null ? null : Number(value))

function toRun(row: Row): WeighedRun {
  const signals = signalsOf(row)
  const node = nodeState({ ...row, last_event_at: row.node_event_at }, signals)
  const run = {
    status: row.run_status,
    evidence: row.run_evidence,
    started_at: number(row.run_started_at),
    ended_at: number(row.run_ended_at),
  }
  const state = runState(run, node, Number(row.is_newest) === 1)
  return {
    sessionKey: sessionKey(Number(row.session_key)),
    sessionId: sessionId(row.native_id),
    subagentKey: Number(row.subagent_key),
    subagentId: subagentId(row.subagent_native_id),
    number: Number(row.number),
    kind: row.kind,
    status: state.status,
    statusEvidence: state.evidence,
    startedAt: run.started_at ?? node.startedAt,
    endedAt: number(state.at),
    isRead: row.run_read_at !== null,
    signals,
    hasTask: Number(row.has_task) === 1,
    isImported: row.live_at === null,
    agentCli: row.agent,
  }
}

interface FaceRow {
  id: number
  session_id: number
  number: number
  type: string | null
  description: string | null
  result: string | null
  is_unseen: number
}

/** Characters of a result that the record keeps at most. */
const RESULT = 500

/** Costs are the sub-agent's over all of its runs: usage is not told for each. */
export async function runFaces(
  context: ReadContext,
  runs: readonly WeighedRun[],
): Promise<ReadonlyMap<string, RunFace>> {
  if (runs.length === 0) return new Map()
  const { db, capabilities, costOf } = context
  const keys = [...new Set(runs.map(({ subagentKey }) => subagentKey))]
  const sessions = [...new Set<number>(runs.map((run) => run.sessionKey))]
  const [{ rows }, totals] = await Promise.all([
    sql<FaceRow>`
      select a.id, a.session_id, r.number, a.type, a.description,
        case when ${sql.raw(IS_UNSEEN)} then 1 else 0 end as is_unseen,
        substr(coalesce(r.result, a.last_text, a.result, a.hook_result), 1, ${sql.lit(RESULT)}) as result
        from subagents a join subagent_runs r on r.subagent_id = a.id
       where ${capabilities.inKeys(sql.ref<number>('a.id'), keys)}`.execute(db),
    db
      .selectFrom('usage_totals')
      .selectAll()
      .where((eb) => capabilities.inKeys(eb.ref('session_id'), sessions))
      .where((eb) => capabilities.inKeys(eb.ref('subagent_id'), keys))
      .execute(),
  ])
  const totalsOf = groupRows(totals, (total) => total.subagent_id)
  return new Map(
    rows.map((row) => [
      `${row.id} ${row.number}`,
      {
        type: row.type,
        description: row.description,
        result: row.result,
        ...(Number(row.is_unseen) === 1 ? UNKNOWN_COST : sumCost(totalsOf.get(Number(row.id)) ?? [], costOf)),
      },
    ]),
  )
}
