/** Background work of a session for its recall: what runs, and what ended without its agent having taken it in. */

import { type SessionId, subagentId } from '../../domain/ids'
import type { RecalledWork, RecalledWorkState } from '../../domain/recall/recall'
import type { EndStatus } from '../../domain/record/observation'
import type { SessionSignals } from '../../domain/session/session-store'
import { nodeState, runState, SHELL_COLUMNS, SHELL_JOIN, type State, type StateColumns } from '../session/run-state'
import { type Program, rows } from '../sql/program'

/** Rows that are read at most: more would not fit into any text. */
const MAX_ROWS = 200
/** Characters of what it was asked. */
const PROMPT = 400

interface WorkColumns {
  native_id: string
  kind: RecalledWork['kind']
  type: string | null
  description: string | null
  output_file: string | null
  prompt: string | null
}

const COLUMNS = `a.native_id, a.kind, a.type, a.description, a.output_file, substr(a.prompt, 1, ${PROMPT}) as prompt`

/** Newest start first. @param session  its key; @param id  its native id, by which results are marked as read */
export function* backgroundWork(session: number, id: SessionId, signals: SessionSignals): Program<RecalledWork[]> {
  const unread = yield* unreadWork(session, id, signals)
  const known = new Set(unread.map((work) => work.id))
  const running = (yield* runningWork(session, signals)).filter((work) => !known.has(work.id))
  return [...running, ...unread].sort((a, b) => (b.startedAt ?? '').localeCompare(a.startedAt ?? ''))
}

type WorkRow = WorkColumns & StateColumns & RunColumns

/** A run's own, beside what its sub-agent tells. */
interface RunColumns {
  run_status: EndStatus | null
  run_evidence: string | null
  run_ended_at: number | null
  started_at: number | null
  is_newest: number | boolean
  has_notice: number | boolean
}

const STATE = `a.is_background, a.last_started_at, a.last_event_at, a.end_status, a.end_at, a.end_evidence, a.hook_started_at,
  a.hook_end_status, a.hook_end_at, a.hook_end_evidence, a.final_at, a.turn_at, u.is_error as launch_failed, u.ended_at as launch_ended_at,
  ${SHELL_COLUMNS},
  r.status as run_status, r.evidence as run_evidence, r.ended_at as run_ended_at, r.started_at, r.notice_uuid is not null as has_notice`
const CALL = `left join tool_uses u on u.session_id = a.session_id and u.tool_use_id = a.tool_use_id ${SHELL_JOIN}`

/** The newest runs of the newest launches. */
const RUNNING = `select ${COLUMNS}, ${STATE}, 1 as is_newest from subagents a
  left join subagent_runs r on r.subagent_id = a.id and r.number = (select max(n.number) from subagent_runs n where n.subagent_id = a.id)
  ${CALL} where a.session_id = ? and a.kind in ('agent', 'shell', 'monitor') and (a.is_background = 1 or a.kind <> 'agent')
  order by a.id desc limit ?`

function* runningWork(session: number, signals: SessionSignals): Program<RecalledWork[]> {
  const all = yield* rows<WorkRow>(RUNNING, session, MAX_ROWS)
  return all.flatMap((row) => {
    const { status, evidence, startedAt } = stateOfRow(row, signals)
    // A shell may outlive its session.
    return status === 'running' ? [toWork(row, 'running', startedAt, evidence)] : []
  })
}

/** Along the partial index: few runs are unread, whatever the number of sub-agents. */
const UNREAD = `select ${COLUMNS}, ${STATE},
  case when exists (select 1 from subagent_runs n where n.subagent_id = r.subagent_id and n.number > r.number) then 0 else 1 end as is_newest
  from subagent_runs r join subagents a on a.id = r.subagent_id ${CALL}
  where r.session_id = ? and r.read_at is null and a.kind in ('agent', 'shell', 'monitor')
    and not exists (select 1 from subagent_reads d
      where d.session_native_id = ? and d.subagent_native_id = a.native_id and d.run_number = r.number)
  order by r.started_at desc limit ?`

/** One entry for each sub-agent: its newest run that is unread. */
export function* unreadWork(session: number, id: SessionId, signals: SessionSignals): Program<RecalledWork[]> {
  const found = new Map<string, RecalledWork>()
  for (const row of yield* rows<WorkRow>(UNREAD, session, id, MAX_ROWS)) {
    const { status, evidence } = stateOfRow(row, signals)
    const told = toldState(row, status)
    if (told !== null && !found.has(row.native_id))
      found.set(row.native_id, toWork(row, told, row.started_at, evidence))
  }
  return [...found.values()]
}

function stateOfRow(row: WorkRow, signals: SessionSignals): State & { startedAt: number | null } {
  const node = nodeState(row, signals)
  const { run_status: status, run_evidence: evidence, started_at, run_ended_at: ended_at } = row
  const state = runState({ status, evidence: evidence ?? '', started_at, ended_at }, node, Number(row.is_newest) === 1)
  return { ...state, startedAt: row.started_at ?? node.startedAt }
}

/** `null` = nothing to tell: its parent waits for it, it was continued later, or it is not work of its own. */
function toldState(row: WorkRow, status: State['status']): RecalledWorkState | null {
  if (isToldByAnswer(row)) return null
  if (status === 'completed') return 'unread'
  if (status === 'unknown') return null
  if (status !== 'running') return status
  return Number(row.is_background ?? 0) === 1 || row.kind !== 'agent' ? 'running' : null
}

/** In the foreground, and its call was answered without its result (an error): the answer said what became of it. */
const isToldByAnswer = (row: WorkRow): boolean =>
  row.kind === 'agent' &&
  Number(row.is_background ?? 0) !== 1 &&
  !Number(row.has_notice) &&
  row.launch_failed !== null &&
  Number(row.launch_failed) !== 2

const toWork = (
  row: WorkColumns,
  state: RecalledWorkState,
  startedAt: number | null,
  evidence: string,
): RecalledWork => ({
  id: subagentId(row.native_id),
  kind: row.kind,
  type: row.type,
  description: row.description,
  outputFile: row.output_file,
  state,
  statusEvidence: evidence,
  prompt: row.prompt,
  startedAt: startedAt === null ? null : new Date(Number(startedAt)).toISOString(),
})
