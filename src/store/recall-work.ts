/** Background work of a session for its recall: what runs, and what ended without its agent having taken it in. */
import { type SessionId, subagentId } from '../domain/ids'
import type { EndStatus } from '../domain/observation'
import type { RecalledWork, RecalledWorkState } from '../domain/recall'
import type { SessionSignals } from '../domain/store'
import { isSessionOver, subagentStatus } from '../domain/subagent-status'
import { type Program, rows } from './record/program'
import { type EndColumns, endOf } from './subagent-end'

/** Rows that are read at most: more would not fit into any text. */
const MOST = 200
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

type RunningRow = WorkColumns & EndColumns

const RUNNING = `select ${COLUMNS}, last_started_at, last_event_at, end_status, end_at, end_evidence, hook_started_at,
  hook_end_status, hook_end_at, hook_end_evidence from subagents a
  where session_id = ? and kind in ('agent', 'shell', 'monitor') and (is_background = 1 or kind <> 'agent') order by id desc limit ?`

function* runningWork(session: number, signals: SessionSignals): Program<RecalledWork[]> {
  // Nothing runs any longer that this session started.
  if (isSessionOver(signals) !== undefined) return []
  const all = yield* rows<RunningRow>(RUNNING, session, MOST)
  return all.flatMap((row) => {
    const end = endOf(row)
    const { status } = subagentStatus(
      {
        lastStartedAt: end.startedAt,
        lastEventAt: row.last_event_at,
        endStatus: end.status,
        endAt: end.at,
        endEvidence: end.evidence,
      },
      signals,
    )
    return status === 'running' ? [toWork(row, 'running', end.startedAt)] : []
  })
}

type UnreadRow = WorkColumns & { status: EndStatus | null; started_at: number | null; is_background: number | null }

/** Along the partial index: few runs are unread, whatever the number of sub-agents. */
const UNREAD = `select ${COLUMNS}, a.is_background, r.status, r.started_at from subagent_runs r join subagents a on a.id = r.subagent_id
  where r.session_id = ? and r.read_at is null and a.kind in ('agent', 'shell', 'monitor')
    and not exists (select 1 from subagent_reads d
      where d.session_native_id = ? and d.subagent_native_id = a.native_id and d.run_number = r.number)
  order by r.started_at desc limit ?`

/** One entry for each sub-agent: its newest run that is unread. */
export function* unreadWork(session: number, id: SessionId, signals: SessionSignals): Program<RecalledWork[]> {
  const isOver = isSessionOver(signals) !== undefined
  const found = new Map<string, RecalledWork>()
  for (const row of yield* rows<UnreadRow>(UNREAD, session, id, MOST)) {
    const state = stateOf(row, isOver)
    if (state !== null && !found.has(row.native_id)) found.set(row.native_id, toWork(row, state, row.started_at))
  }
  return [...found.values()]
}

/** `null` = nothing to tell: its parent waits for it, or it is not work of its own. */
function stateOf(row: UnreadRow, isOver: boolean): RecalledWorkState | null {
  if (row.status === 'completed') return 'unread'
  if (row.status !== null) return row.status
  if (isOver) return 'lost'
  return Number(row.is_background ?? 0) === 1 || row.kind !== 'agent' ? 'running' : null
}

const toWork = (row: WorkColumns, state: RecalledWorkState, startedAt: number | null): RecalledWork => ({
  id: subagentId(row.native_id),
  kind: row.kind,
  type: row.type,
  description: row.description,
  outputFile: row.output_file,
  state,
  prompt: row.prompt,
  startedAt: startedAt === null ? null : new Date(Number(startedAt)).toISOString(),
})
