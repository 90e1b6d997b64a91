import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { signalsAt } from '../../domain/overview/shown-status'
import type { TreeStatus } from '../../domain/overview/tree-entry'
import type { TreeFilter } from '../../domain/overview/tree-level'
import type { SessionSignals } from '../../domain/session/session-store'
import { nodeState, type StateColumns } from '../session/run-state'
import { SIGNALS, type SignalColumns, signalsOf } from '../session/session-signals'
import type { ReadContext } from '../sql/read-context'
import { LAUNCH_JOIN, MAY_RUN, mayLive, NOT_DONE, STATE_COLUMNS } from './live'
import { type Look, shownStatuses } from './look'

type Condition = RawBuilder<SqlBool>

export const hasFilter = ({ statuses, needed, q, agent, since }: TreeFilter): boolean =>
  [statuses, needed, q, agent, since].some((part) => part !== undefined)

/** Which sessions a filter shows. */
export interface SessionMatch {
  /** On sessions `s`. */
  condition: Condition
  /** The same on links `w` of sessions to the tasks above them. */
  link: Condition
  /** How many of them are not below any task, by their project's row, where that is known already. */
  others?: ReadonlyMap<number | null, number>
}

/** What alone is asked about: titles are long to go through, and those of other projects tell nothing. */
export interface MatchScope {
  /** On sessions `s`: one of these is true of each. Each is asked for itself. */
  sessions: readonly Condition[]
  /** On outermost tasks `r`. */
  root?: Condition
}

const matchBy = (condition: Condition): SessionMatch => ({
  condition,
  link: sql`w.session_id in (select s.id from sessions s where ${condition})`,
})

/** Whether a session `s` is of a status, or holds something that is, and fits the rest of the filter. */
export async function sessionFits(
  context: ReadContext,
  filter: TreeFilter,
  look: Look,
  scope?: MatchScope,
): Promise<SessionMatch> {
  const conditions: Condition[] = [sql`1 = 1`]
  if (filter.since !== undefined) conditions.push(sql`coalesce(s.last_event_at, 0) > ${filter.since}`)
  if (filter.q !== undefined) conditions.push(context.capabilities.containsFolded(sql.ref('s.title'), filter.q))
  if (filter.agent !== undefined) conditions.push(sql`s.agent = ${filter.agent}`)
  if (filter.needed !== undefined)
    conditions.push(sql`${context.capabilities.inKeys(sql.ref<number>('s.id'), [...look.sessions.keys()])}`)
  const rest = sql<SqlBool>`${sql.join(conditions, sql` and `)}`
  if (filter.statuses === undefined)
    return filter.q === undefined ? matchBy(rest) : await onceOnly(context, rest, scope?.sessions)
  const wanted = new Set<TreeStatus>(filter.statuses)
  const found = new Set<number>()
  await addLiving(context, rest, wanted, { found, look })
  await addBySubagents(context, rest, wanted, { found, now: look.now })
  const ways = [sql`${context.capabilities.amongKeys(sql.ref<number>('s.id'), [...found])}`]
  for (const status of ['lost', 'ended'] as const)
    if (wanted.has(status))
      ways.push(sql`(${mayLive(look.now)} is not true and ${IS_LOST} is ${status === 'lost' ? sql`` : sql`not`} true)`)
  return matchBy(sql`(${rest} and (${sql.join(ways, sql` or `)}))`)
}

/** Titles are long to go through: once for all that asks. */
async function onceOnly(
  { db, capabilities }: ReadContext,
  fits: Condition,
  among: readonly Condition[] = [sql`1 = 1`],
): Promise<SessionMatch> {
  const found = new Map<number, { project: number | null; isBelow: boolean }>()
  for (const isHere of among) {
    const { rows } = await sql<{ key: number; project: number | null; is_below: number }>`
      select s.id as key, s.project_id as project,
             case when exists (select 1 from work_sessions w where w.session_id = s.id) then 1 else 0 end as is_below
        from sessions s where ${isHere} and ${fits}
    `.execute(db)
    for (const { key, project, is_below } of rows) found.set(key, { project, isBelow: Number(is_below) === 1 })
  }
  const keys = [...found.keys()]
  const others = new Map<number | null, number>()
  for (const { project, isBelow } of found.values()) if (!isBelow) others.set(project, (others.get(project) ?? 0) + 1)
  const isFound = (column: string): Condition => sql`${capabilities.amongKeys(sql.ref<number>(column), keys)}`
  return { condition: isFound('s.id'), link: isFound('w.session_id'), others }
}

/** Keys of those of some sessions that fit. */
export async function keysThatFit(
  { db, capabilities }: ReadContext,
  fits: Condition,
  among: readonly number[],
): Promise<Set<number>> {
  if (among.length === 0) return new Set()
  const { rows } = await sql<{ key: number }>`
    select s.id as key from sessions s where ${capabilities.inKeys(sql.ref<number>('s.id'), among)} and ${fits}
  `.execute(db)
  return new Set(rows.map(({ key }) => key))
}

/** Whether a session `s` that can't live any more is lost rather than ended, as `session-status.ts` decides: a turn or a question is open. */
export const IS_LOST = sql.raw<SqlBool>(`(s.activity = 'waiting' or (s.activity = 'working'
  and substr(coalesce(s.activity_evidence, ''), length(s.activity_evidence) - 4) is distinct from ':text'))`)

/** Those that may live are few, and looked at one by one. */
async function addLiving(
  context: ReadContext,
  rest: Condition,
  wanted: ReadonlySet<TreeStatus>,
  { found, look }: { found: Set<number>; look: Look },
): Promise<void> {
  const { rows } = await sql<SignalColumns & { key: number }>`
    select s.id as key, ${sql.raw(SIGNALS)} from sessions s where ${mayLive(look.now)} and ${rest}
  `.execute(context.db)
  const shown = await shownStatuses(
    context,
    rows.map((row) => ({ key: row.key, signals: signalsOf(row) })),
    look,
  )
  // A call of its main thread is as the session is.
  for (const [key, status] of shown) if (wanted.has(status)) found.add(key)
}

const OPEN: readonly TreeStatus[] = ['running', 'unknown']
const OVER: readonly TreeStatus[] = ['failed', 'killed', 'lost', 'ended']
/** Sub-agents that are looked at at once. */
const BATCH = 5_000

async function addBySubagents(
  context: ReadContext,
  rest: Condition,
  wanted: ReadonlySet<TreeStatus>,
  { found, now }: { found: Set<number>; now: number },
): Promise<void> {
  const has = (some: readonly TreeStatus[]) => some.some((status) => wanted.has(status))
  const isCompletedWanted = wanted.has('completed')
  if (!isCompletedWanted && !has(OVER) && !has(OPEN)) return
  const maybe = isCompletedWanted ? sql`1 = 1` : has(OVER) ? NOT_DONE : MAY_RUN
  const signals = new Map<number, SessionSignals>()
  for (let after: Agent = { session: 0, node: 0 }; ; ) {
    const agents = await agentsBehind(context, after, maybe)
    const isOfThese: Expression<SqlBool> = context.capabilities.inKeys(
      sql.ref<number>('a.id'),
      agents.map(({ node }) => node),
    )
    const { rows } = await sql<StateColumns & SignalColumns & { node: number; session: number; at: number | null }>`
      select a.id as node, a.session_id as session, ${sql.raw(STATE_COLUMNS)}, s.last_event_at as at, ${sql.raw(OTHER_SIGNALS)}
        from subagents a join sessions s on s.id = a.session_id ${sql.raw(LAUNCH_JOIN)}
       where ${isOfThese} and ${rest}
    `.execute(context.db)
    for (const row of rows) {
      if (found.has(row.session)) continue
      let own = signals.get(row.session)
      if (own === undefined) {
        own = signalsAt(signalsOf({ ...row, last_event_at: row.at }), now)
        signals.set(row.session, own)
      }
      if (wanted.has(nodeState(row, own).status)) found.add(row.session)
    }
    signals.clear()
    const last = agents.at(-1)
    if (last === undefined || agents.length < BATCH) return
    after = last
  }
}

interface Agent {
  session: number
  node: number
}

/**
 * By their sessions, as the index has those of which it is not plain that they completed. By themselves: PostgreSQL takes them for many,
 * and would read all sessions beside them.
 */
async function agentsBehind(
  { db }: ReadContext,
  { session, node }: Agent,
  maybe: RawBuilder<unknown>,
): Promise<Agent[]> {
  const { rows } = await sql<Agent>`
    select a.session_id as session, a.id as node from subagents a
     where a.session_id >= ${session} and (a.session_id, a.id) > (${session}, ${node}) and a.kind <> 'internal' and ${maybe}
     order by a.session_id, a.id limit ${sql.lit(BATCH)}
  `.execute(db)
  return rows
}

/** Those whose names a sub-agent's columns do not have. */
const OTHER_SIGNALS = SIGNALS.replace(', s.last_event_at as last_event_at', '')
