import { type RawBuilder, sql } from 'kysely'
import { type SessionId, sessionId, subagentId, toolUseId } from '../../../domain/ids'
import type { EndStatus, RunTrigger } from '../../../domain/record/observation'
import type { Subagent } from '../../../domain/session/session'
import type { SessionReads, StoredSession } from '../../../domain/session/session-store'
import type { RecoveredWork, RunReads, SubagentRun } from '../../../domain/subagent/subagent-run'
import { isoTime, type ReadContext } from '../../sql/read-context'
import { runState, type State } from '../run-state'
import { placeNodes, type SubagentRow, selectSubagents, toSubagent } from './subagent-nodes'
import { groupRows } from './usage-totals'

/** Reads runs of sub-agents and background tasks. */
export function runReads(context: ReadContext, sessions: Pick<SessionReads, 'find'>): RunReads {
  return {
    async ofSubagent(session, subagent) {
      const stored = await sessions.find(sessionId(session))
      if (stored === undefined) return []
      const rows = await selectSubagents(context)
        .where('a.session_id', '=', stored.key)
        .where('a.native_id', '=', subagent)
        .execute()
      const [one] = await withPlaces(context, stored, rows)
      return one === undefined ? [] : await runsOf(context, stored, one.row.id, one.subagent)
    },
    async recover(session, limit) {
      const stored = await sessions.find(sessionId(session))
      return stored === undefined ? { work: [], total: 0 } : await recover(context, stored, limit)
    },
  }
}

/** Sub-agents with all that is shown of them; of their session's others only those above them are read. */
async function withPlaces(
  context: ReadContext,
  session: StoredSession,
  rows: SubagentRow[],
): Promise<{ row: SubagentRow; subagent: Subagent }[]> {
  const known = new Map(rows.map((row) => [row.id, row]))
  for (let missing = aboveOf([...known.values()], known); missing.length > 0; ) {
    const above = await selectSubagents(context)
      .where((eb) => context.capabilities.inKeys(eb.ref('a.id'), missing))
      .execute()
    for (const row of above) known.set(row.id, row)
    // One that is not there would be asked for again and again.
    missing = above.length === 0 ? [] : aboveOf(above, known)
  }
  const keys = rows.map((row) => row.id)
  const totals = await context.db
    .selectFrom('usage_totals')
    .selectAll()
    .where('session_id', '=', session.key)
    .where((eb) => context.capabilities.inKeys(eb.ref('subagent_id'), keys))
    .execute()
  const totalsOf = groupRows(totals, (total) => total.subagent_id)
  const places = placeNodes([...known.values()])
  return rows.map((row) => {
    const place = places.get(row.id) ?? { parent: undefined, depth: null }
    return { row, subagent: toSubagent(row, { place, totals: totalsOf.get(row.id) ?? [] }, session, context) }
  })
}

const aboveOf = (rows: readonly SubagentRow[], known: ReadonlyMap<number, SubagentRow>): number[] =>
  rows.flatMap(({ launcher_key }) => (launcher_key === null || known.has(launcher_key) ? [] : launcher_key))

interface RunRow {
  number: number
  trigger_kind: RunTrigger
  tool_use_id: string | null
  started_at: number | null
  ended_at: number | null
  status: EndStatus | null
  evidence: string
  result: string | null
  noticed_at: number | null
  noticed_in: string | null
  read_at: number | null
  read_evidence: string | null
  marked_at: number | null
  marked_by: string | null
}

const NOTICED_IN = `(select c.native_id from conversation_events e join subagents c on c.id = e.subagent_id
  where e.session_id = r.session_id and e.uuid = r.notice_uuid) as noticed_in`

const RUN_COLUMNS =
  sql.raw(`${NOTICED_IN}, r.number, r.trigger_kind, r.tool_use_id, r.started_at, r.ended_at, r.status, r.evidence, r.result,
  r.noticed_at, r.read_at, r.read_evidence, d.at as marked_at, d.marked_by`)

/** A person's word that a run is read, which no line shows. */
const marked = (session: SessionId, number: RawBuilder<unknown>) => sql`left join subagent_reads d
  on d.session_native_id = ${session} and d.subagent_native_id = a.native_id and d.run_number = ${number}`

async function runsOf(
  context: ReadContext,
  session: StoredSession,
  key: number,
  subagent: Subagent,
): Promise<SubagentRun[]> {
  const { rows } = await sql<RunRow>`
    select ${RUN_COLUMNS} from subagent_runs r join subagents a on a.id = r.subagent_id ${marked(session.id, sql.ref('r.number'))}
     where r.subagent_id = ${key} order by r.number`.execute(context.db)
  if (rows.length === 0) return [toRun(null, subagent, true)]
  return rows.map((row, at) => toRun(row, subagent, at === rows.length - 1))
}

/** @param row  `null`: nothing reports a run, and the sub-agent is there all the same */
function toRun(row: RunRow | null, subagent: Subagent, isNewest: boolean): SubagentRun {
  const number = row?.number ?? 1
  const state = runState(row, stateOfNode(subagent), isNewest)
  return {
    number,
    trigger: row?.trigger_kind ?? (subagent.toolUseId === null ? 'unknown' : 'launch'),
    toolUseId: row === null ? subagent.toolUseId : row.tool_use_id === null ? null : toolUseId(row.tool_use_id),
    startedAt: isoTime(row?.started_at ?? null) ?? (number === 1 ? subagent.startedAt : null),
    status: state.status,
    statusEvidence: state.evidence,
    endedAt: isoTime(state.at),
    resultPreview: row?.result ?? (isNewest ? subagent.resultPreview : null),
    noticedAt: isoTime(row?.noticed_at ?? null),
    noticedIn: row?.noticed_in == null ? null : subagentId(row.noticed_in),
    readAt: isoTime(row?.read_at ?? row?.marked_at ?? null),
    readEvidence: row?.read_evidence ?? (row?.marked_by == null ? null : `marked by ${row.marked_by}`),
  }
}

const stateOfNode = ({ status, statusEvidence, endedAt }: Subagent): State => ({
  status,
  evidence: statusEvidence,
  at: endedAt === null ? null : Date.parse(endedAt),
})

/** A newest run with what its sub-agent was asked. */
interface NewestRow extends RunRow {
  id: number
  prompt: string | null
}

/** First characters of what it was asked. */
const PROMPT = 200

/** A sub-agent with its newest run; one that nothing tells a run of (killed early, without hooks) has none. */
const NEWEST = sql`subagents a left join subagent_runs r on r.subagent_id = a.id
  and r.number = (select max(n.number) from subagent_runs n where n.subagent_id = a.id)`

/** Keys of what a session may have to hear again, in that order. Few columns: all of its sub-agents are gone through. */
async function selectWork({ db }: ReadContext, session: StoredSession, limit: number) {
  const isUnread = sql`r.read_at is null and not exists (select 1 from subagent_reads d
    where d.session_native_id = ${session.id} and d.subagent_native_id = a.native_id and d.run_number = coalesce(r.number, 1))`
  const { rows } = await sql<{ id: number; total: number }>`
    select a.id, count(*) over () as total from ${NEWEST}
     where a.session_id = ${session.key} and a.kind <> 'internal'
       and (a.is_background = 1 or a.kind <> 'agent'
         -- In the foreground: unread. Where its call was answered otherwise (an error), the answer said so.
         or (${isUnread} and (r.notice_uuid is not null or not exists (select 1 from tool_uses u
           where u.session_id = a.session_id and u.tool_use_id = a.tool_use_id and u.is_error <> 2))))
     order by case when ${isUnread} then 0 else 1 end, coalesce(r.started_at, a.first_event_at, 0) desc, a.id desc
     limit ${sql.lit(Math.max(1, Math.trunc(limit)))}`.execute(db)
  return { keys: rows.map((row) => Number(row.id)), total: Number(rows[0]?.total ?? 0) }
}

async function recover(context: ReadContext, session: StoredSession, limit: number) {
  const { keys, total } = await selectWork(context, session, limit)
  if (keys.length === 0) return { work: [], total }
  const { rows } = await sql<NewestRow>`
    select a.id, substr(a.prompt, 1, ${sql.lit(PROMPT)}) as prompt, coalesce(r.number, 1) as number,
           coalesce(r.trigger_kind, case when a.tool_use_id is null then 'unknown' else 'launch' end) as trigger_kind,
           coalesce(r.tool_use_id, a.tool_use_id) as tool_use_id, r.started_at, r.ended_at, r.status,
           coalesce(r.evidence, '') as evidence, r.result, r.noticed_at, ${sql.raw(NOTICED_IN)}, r.read_at, r.read_evidence, d.at as marked_at, d.marked_by
      from ${NEWEST} ${marked(session.id, sql`coalesce(r.number, 1)`)}
     where ${context.capabilities.inKeys(sql.ref<number>('a.id'), keys)}`.execute(context.db)
  const runOf = new Map(rows.map((row) => [Number(row.id), row]))
  const nodes = await selectSubagents(context)
    .where((eb) => context.capabilities.inKeys(eb.ref('a.id'), keys))
    .execute()
  const byKey = new Map((await withPlaces(context, session, nodes)).map((one) => [one.row.id, one.subagent]))
  const work = keys.flatMap((key): RecoveredWork[] => {
    const subagent = byKey.get(key)
    const row = runOf.get(key)
    if (subagent === undefined || row === undefined) return []
    const run = toRun(row, subagent, true)
    return [{ subagent, run, prompt: row.prompt, state: stateOf(run) }]
  })
  return { work, total }
}

function stateOf({ status, readAt }: SubagentRun): RecoveredWork['state'] {
  return status === 'completed' ? (readAt === null ? 'unread' : 'read') : status
}
