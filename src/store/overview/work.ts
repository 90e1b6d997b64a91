import { sql } from 'kysely'
import { type SessionKey, sessionKey } from '../../domain/ids'
import type { OverviewReads, SessionWork } from '../../domain/overview/overview-store'
import { WRITER_TOOLS } from '../../domain/policy/tool-call'
import { GONE } from '../../domain/subagent/subagent-run'
import { isSessionOver } from '../../domain/subagent/subagent-status'
import { groupRows, readUsageTotals, sumUsage } from '../session/reads/usage-totals'
import { nodeState, SHELL_COLUMNS, SHELL_JOIN, type StateColumns } from '../session/run-state'
import type { ReadContext } from '../sql/read-context'

/** Calls without an answer of one session that are looked at: a session that was killed often leaves many. */
const OPEN_CALLS = 20
/** Characters of a call's input: as many as its event has. */
const INPUT = 400
/** Sub-agents without an end that are looked at, of all sessions together. */
const MOST_AGENTS = 5_000

type Asked = Parameters<OverviewReads['sessionWork']>[0]

/** What sessions do, in five queries for any number of them. */
export async function sessionWork(context: ReadContext, of: Asked): Promise<ReadonlyMap<SessionKey, SessionWork>> {
  if (of.length === 0) return new Map()
  const keys = of.map(({ key }) => key)
  const living = of.filter(({ signals }) => isSessionOver(signals) === undefined)
  const livingKeys = living.map(({ key }) => key)
  const [totals, calls, todos, current, agents] = await Promise.all([
    readUsageTotals(context, keys),
    openCalls(context, livingKeys),
    todoCounts(context, keys),
    currentTodos(context, keys),
    unfinishedAgents(context, livingKeys),
  ])
  const totalsOf = groupRows(totals, (row) => sessionKey(row.session_id))
  const callsOf = groupRows(calls, (row) => sessionKey(Number(row.session_id)))
  const todosOf = new Map(todos.map((row) => [sessionKey(Number(row.session_id)), row]))
  const currentOf = new Map(current.map((row) => [sessionKey(Number(row.session_id)), row.label]))
  const agentsOf = groupRows(agents, (row) => sessionKey(Number(row.session_id)))
  return new Map(
    of.map(({ key, signals }) => {
      const open = callsOf.get(key) ?? []
      const [newest] = open
      const counted = todosOf.get(key)
      const running = (agentsOf.get(key) ?? []).filter((row) => nodeState(row, signals).status === 'running')
      const work: SessionWork = {
        openCalls: open.map(({ name }) => name),
        newestCall: newest === undefined ? null : { name: newest.name, text: newest.text },
        todos:
          counted === undefined
            ? null
            : {
                completed: Number(counted.completed),
                total: Number(counted.total),
                current: currentOf.get(key) ?? null,
              },
        runningAgents: running.filter(({ kind }) => kind === 'agent').length,
        runningWork: running.length,
        ...sumUsage(totalsOf.get(key) ?? [], context.costOf),
      }
      return [key, work]
    }),
  )
}

/** Calls of tools that change files, of these sessions and all their agents. */
export async function editCounts(
  { db, capabilities }: ReadContext,
  keys: readonly SessionKey[],
  since: number,
): Promise<ReadonlyMap<SessionKey, number>> {
  if (keys.length === 0) return new Map()
  const { rows } = await sql<{ session_id: number; count: number }>`
    select u.session_id, count(*) as count from tool_uses u
     where ${capabilities.inKeys(sql.ref<number>('u.session_id'), keys)} and u.called_at >= ${since}
       and u.name in (${sql.join(WRITER_TOOLS.map((name) => sql.lit(name)))}) and coalesce(u.is_error, 0) = 0
     group by u.session_id`.execute(db)
  return new Map(rows.map((row) => [sessionKey(Number(row.session_id)), Number(row.count)]))
}

interface CallRow {
  session_id: number
  name: string
  text: string | null
}

/** The newest of each session first. Only the newest one's input is read: it is a row of a large table. */
async function openCalls({ db, capabilities }: ReadContext, keys: readonly SessionKey[]): Promise<CallRow[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<CallRow>`
    select o.session_id, o.name, case when o.place = 1 then (
        select substr(e.text, 1, ${sql.lit(INPUT)}) from conversation_events e
         where e.session_id = o.session_id and e.tool_use_id = o.tool_use_id and e.type = 'tool_call' limit 1) end as text
      from (select u.session_id, u.tool_use_id, u.name,
              row_number() over (partition by u.session_id order by coalesce(u.called_at, 0) desc, u.tool_use_id) as place
              from tool_uses u
             where u.ended_at is null and u.name is not null
               and ${capabilities.inKeys(sql.ref<number>('u.session_id'), keys)}) as o
     where o.place <= ${sql.lit(OPEN_CALLS)} order by o.session_id, o.place`.execute(db)
  return rows
}

/** The main thread's. */
async function todoCounts({ db, capabilities }: ReadContext, keys: readonly SessionKey[]) {
  const { rows } = await sql<{ session_id: number; completed: number; total: number }>`
    select session_id, sum(case when status = 'completed' then 1 else 0 end) as completed, count(*) as total from todos
     where ${capabilities.inKeys(sql.ref<number>('session_id'), keys)} and subagent_id is null and status <> 'removed'
     group by session_id`.execute(db)
  return rows
}

async function currentTodos({ db, capabilities }: ReadContext, keys: readonly SessionKey[]) {
  const { rows } = await sql<{ session_id: number; label: string }>`
    select session_id, coalesce(active_form, content) as label from todos
     where ${capabilities.inKeys(sql.ref<number>('session_id'), keys)} and subagent_id is null and status = 'in_progress'
     order by ordinal desc`.execute(db)
  return rows
}

type AgentRow = StateColumns & { session_id: number; kind: 'agent' | 'shell' | 'monitor' }

/** Whatever may run: those whose lines report an end that no later start follows are over in any case. */
async function unfinishedAgents({ db, capabilities }: ReadContext, keys: readonly SessionKey[]): Promise<AgentRow[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<AgentRow>`
    select a.session_id, a.kind, a.is_background, a.last_started_at, a.last_event_at, a.end_status, a.end_at, a.end_evidence,
           a.hook_started_at, a.hook_end_status, a.hook_end_at, a.hook_end_evidence, a.final_at, a.turn_at,
           u.is_error as launch_failed, u.ended_at as launch_ended_at, ${sql.raw(SHELL_COLUMNS)}
      from subagents a left join tool_uses u on u.session_id = a.session_id and u.tool_use_id = a.tool_use_id
           ${sql.raw(SHELL_JOIN)}
     where ${capabilities.inKeys(sql.ref<number>('a.session_id'), keys)} and a.kind <> 'internal'
       and (a.end_status is null or a.end_evidence = ${GONE} or coalesce(a.last_started_at, 0) > coalesce(a.end_at, 0)
         or coalesce(a.hook_started_at, 0) > coalesce(a.end_at, 0))
     order by a.id desc limit ${sql.lit(MOST_AGENTS)}`.execute(db)
  return rows
}
