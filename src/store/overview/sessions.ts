import { type RawBuilder, sql } from 'kysely'
import type { Cost } from '../../domain/cost/price'
import { type AgentName, type IssueId, type SessionKey, sessionId, sessionKey } from '../../domain/ids'
import type { SessionFace, SessionWindow, WeighedSession } from '../../domain/overview/overview-store'
import { groupRows, readUsageTotals, sumCost } from '../session/reads/usage-totals'
import { SIGNALS, type SignalColumns, signalsOf } from '../session/session-signals'
import type { ReadContext } from '../sql/read-context'

interface WeighedRow extends SignalColumns {
  id: number
  native_id: string
  has_task: number
  live_at: number | null
  agent: AgentName
}

/** Columns of a session `s` that is weighed. A task's conversation may be that of an earlier attempt. */
export const weighedColumns = ({ capabilities }: ReadContext) =>
  sql.raw(`s.native_id, s.live_at, s.agent, ${SIGNALS}, case when exists (select 1 from tasks k where k.last_session_native_id = s.native_id)
    or exists (select 1 from attempts k where ${capabilities.jsonText('k.conversation', 'sessionId')} = s.native_id)
    then 1 else 0 end as has_task`)

/**
 * Each part walks one index from its newest end: those heard of last, open turns and questions, ends told by the agent (a session may
 * have no lines at all), living processes, and those that somebody names.
 */
export async function weighedSessions(
  context: ReadContext,
  { heardSince, openSince, also, limit }: SessionWindow,
): Promise<WeighedSession[]> {
  const { db, capabilities } = context
  const newest = (where: RawBuilder<unknown>, order: RawBuilder<unknown>) =>
    sql`select id from (select s.id from sessions s where ${where} order by ${order} limit ${sql.lit(limit)}) as part`
  const said = (activity: string, since: number) =>
    newest(sql`s.activity = ${sql.lit(activity)} and s.activity_at >= ${since}`, sql`s.activity_at desc`)
  const parts = [
    newest(sql`coalesce(s.last_event_at, 0) >= ${heardSince}`, sql`coalesce(s.last_event_at, 0) desc, s.id desc`),
    said('working', openSince),
    said('waiting', openSince),
    said('idle', heardSince),
    said('ended', heardSince),
    newest(sql`s.process_state = 'alive'`, sql`s.id desc`),
    ...(also.length === 0
      ? []
      : [sql`select id from sessions where ${capabilities.inTexts(sql.ref('native_id'), also)}`]),
  ]
  const { rows } = await sql<WeighedRow>`
    select s.id, ${weighedColumns(context)} from sessions s where s.id in (${sql.join(parts, sql` union `)})`.execute(
    db,
  )
  return rows.map((row) => ({
    key: sessionKey(Number(row.id)),
    id: sessionId(row.native_id),
    hasTask: Number(row.has_task) === 1,
    isImported: row.live_at === null,
    agentCli: row.agent,
    signals: signalsOf(row),
  }))
}

/** A session that went on from another one is heard of later than it; a child that was forked off while it worked on is not. */
export async function continuedSessions(
  { db, capabilities }: ReadContext,
  keys: readonly SessionKey[],
): Promise<ReadonlySet<SessionKey>> {
  if (keys.length === 0) return new Set()
  const isLater = sql`coalesce(n.last_event_at, 0) > coalesce(s.last_event_at, 0)`
  const { rows } = await sql<{ id: number }>`
    select s.id from sessions s where ${capabilities.inKeys(sql.ref<number>('s.id'), keys)}
      and (exists (select 1 from sessions n where n.forked_from = s.native_id and ${isLater})
        or exists (select 1 from sessions n where n.resumed_from = s.native_id and ${isLater})
        or exists (select 1 from sessions n where n.translated_from = s.native_id and ${isLater}))`.execute(db)
  return new Set(rows.map((row) => sessionKey(Number(row.id))))
}

interface FaceRow {
  id: number
  agent: AgentName
  title: string | null
  project: string | null
  cwd: string | null
  host: string | null
  model: string | null
  started_at: number | null
  issue_id: IssueId | null
}

export async function sessionFaces(
  { db, capabilities }: ReadContext,
  keys: readonly SessionKey[],
): Promise<ReadonlyMap<SessionKey, SessionFace>> {
  if (keys.length === 0) return new Map()
  const { rows } = await sql<FaceRow>`
    select s.id, s.agent, s.title, p.root as project, s.cwd, h.hostname as host, s.model, s.started_at,
      (select i.public_id from issue_claims c join issues i on i.id = c.issue_id
        where c.session_native_id = s.native_id order by c.since desc, c.issue_id desc limit 1) as issue_id
      from sessions s left join projects p on p.id = s.project_id left join hosts h on h.id = s.host_id
     where ${capabilities.inKeys(sql.ref<number>('s.id'), keys)}`.execute(db)
  return new Map(
    rows.map(({ id, agent, started_at, issue_id, ...face }) => [
      sessionKey(Number(id)),
      { ...face, agentCli: agent, startedAt: started_at === null ? null : Number(started_at), issueId: issue_id },
    ]),
  )
}

/** Events at the end of a session that are looked through: its last answer stands among them, or its agents wrote after it. */
const LOOKED_THROUGH = 40
/** Characters of it. */
const WORDS = 600

export async function lastWords(
  { db, capabilities }: ReadContext,
  keys: readonly SessionKey[],
): Promise<ReadonlyMap<SessionKey, string>> {
  if (keys.length === 0) return new Map()
  const { rows } = await sql<{ id: number; text: string | null }>`
    select s.id, (select substr(e.text, 1, ${sql.lit(WORDS)}) from (
        select w.id, w.at, w.type, w.subagent_id, w.text from conversation_events w
         where w.session_id = s.id order by w.at desc, w.id desc limit ${sql.lit(LOOKED_THROUGH)}) as e
      where e.type = 'text' and e.subagent_id is null order by e.at desc, e.id desc limit 1) as text
      from sessions s where ${capabilities.inKeys(sql.ref<number>('s.id'), keys)}`.execute(db)
  return new Map(rows.flatMap((row) => (row.text === null ? [] : [[sessionKey(Number(row.id)), row.text] as const])))
}

/** For a session with all its agents. */
export async function sessionCosts(
  context: ReadContext,
  keys: readonly SessionKey[],
): Promise<ReadonlyMap<SessionKey, Cost>> {
  const totals = groupRows(await readUsageTotals(context, keys), (total) => total.session_id)
  return new Map(keys.map((key) => [key, sumCost(totals.get(key) ?? [], context.costOf)]))
}
