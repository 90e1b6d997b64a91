import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { isAlive } from '../../domain/overview/shown-status'
import type { ShownSessionStatus } from '../../domain/session/session'
import { bareStatus, GROWTH_IS_NEWS_MS, LONGEST_SILENCE_MS } from '../../domain/session/session-status'
import { GONE } from '../../domain/subagent/subagent-run'
import { META_END, nodeState, SHELL_COLUMNS, SHELL_JOIN, type StateColumns } from '../session/run-state'
import { SIGNALS, type SignalColumns, signalsOf } from '../session/session-signals'
import type { ReadContext } from '../sql/read-context'
import { type Look, shownStatuses } from './look'
import { isIn, type SessionScope } from './scope'

/** Whether a session `s` may live, as far as a query can tell: each way is a walk along an index. */
export function mayLive(now: number): RawBuilder<SqlBool> {
  const since = now - LONGEST_SILENCE_MS
  return sql`s.id in (select id from sessions where process_state = 'alive'
    union all select id from sessions where coalesce(last_event_at, 0) > ${since - GROWTH_IS_NEWS_MS}
    union all select id from sessions where coalesce(last_event_at, 0) = 0 and file_grew_at > ${since}
    union all select id from sessions where activity in ('working', 'waiting', 'idle') and activity_at > ${since})`
}

/** A session that is not over. */
export interface LiveSession {
  key: number
  projectId: number | null
  status: ShownSessionStatus
  /** Sub-agents, shells and monitors that run. */
  running: number
}

/** Sessions that are not over, with what runs in them. Looks closely at few: those with a sign of life within a day. */
export async function readLive(
  context: ReadContext,
  scope: SessionScope,
  look: Look,
): Promise<Map<number, LiveSession>> {
  const { rows } = await sql<SignalColumns & { key: number; project: number | null }>`
    select s.id as key, s.project_id as project, ${sql.raw(SIGNALS)} from sessions s
     where ${mayLive(look.now)} and ${isIn(context, scope)}
  `.execute(context.db)
  const live = new Map<number, LiveSession>()
  const signals = new Map(rows.map((row) => [row.key, signalsOf(row)]))
  const statuses = await shownStatuses(
    context,
    [...signals].map(([key, own]) => ({ key, signals: own })),
    look,
  )
  for (const { key, project } of rows) {
    const status = statuses.get(key)
    if (status !== undefined && isAlive(status)) live.set(key, { key, projectId: project, status, running: 0 })
  }
  for (const row of await readUnended(context, [...live.keys()])) {
    const session = live.get(row.session)
    const own = signals.get(row.session)
    if (session !== undefined && own !== undefined && nodeState(row, own).status === 'running') session.running++
  }
  return live
}

/** Keys of the sessions that are not over. */
export async function liveKeys({ db }: ReadContext, now: number): Promise<number[]> {
  const { rows } = await sql<SignalColumns & { key: number }>`
    select s.id as key, ${sql.raw(SIGNALS)} from sessions s where ${mayLive(now)}
  `.execute(db)
  return rows.flatMap((row) => (isAlive(bareStatus(signalsOf(row), now)) ? [row.key] : []))
}

/** Columns by which a sub-agent `a` with its launching call `u` is judged. */
export const STATE_COLUMNS = `a.is_background, a.first_started_at, a.last_started_at, a.end_status, a.end_at, a.end_evidence,
  a.hook_started_at, a.hook_end_status, a.hook_end_at, a.hook_end_evidence, a.first_event_at, a.last_event_at, a.final_at, a.turn_at,
  u.is_error as launch_failed, u.ended_at as launch_ended_at, ${SHELL_COLUMNS}`
export const LAUNCH_JOIN = `left join tool_uses u on u.session_id = a.session_id and u.tool_use_id = a.tool_use_id ${SHELL_JOIN}`

/** Whether a sub-agent `a` is another than one of which it is plain that it completed; word for word as its index has it. */
export const NOT_DONE =
  sql.raw<SqlBool>(`(a.end_status is null or a.end_status <> 'completed' or a.end_evidence in ('${GONE}', '${META_END}')
  or a.end_at < a.last_started_at or a.end_at < a.hook_started_at)`)

/** Whether a sub-agent `a` may run, as far as a query can tell: by the same index. */
export const MAY_RUN = sql<SqlBool>`(${NOT_DONE}
  and (a.end_status is null or a.end_at < a.last_started_at or a.end_at < a.hook_started_at or a.end_evidence = ${sql.lit(GONE)}))`

/** Sub-agents that may run. */
async function readUnended({ db, capabilities }: ReadContext, sessions: readonly number[]) {
  if (sessions.length === 0) return []
  const { rows } = await sql<StateColumns & { session: number }>`
    select a.session_id as session, ${sql.raw(STATE_COLUMNS)} from subagents a ${sql.raw(LAUNCH_JOIN)}
     where ${capabilities.inKeys(sql.ref<number>('a.session_id'), sessions)} and a.kind <> 'internal' and ${MAY_RUN}
  `.execute(db)
  return rows
}
