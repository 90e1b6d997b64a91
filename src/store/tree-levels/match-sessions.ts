import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { signalsAt } from '../../domain/overview/shown-status'
import type { TreeStatus } from '../../domain/overview/tree-entry'
import type { TreeFilter } from '../../domain/overview/tree-level'
import { nodeState, type StateColumns } from '../session/run-state'
import { SIGNALS, type SignalColumns, signalsOf } from '../session/session-signals'
import type { ReadContext } from '../sql/read-context'
import { LAUNCH_JOIN, MAY_RUN, mayLive, STATE_COLUMNS } from './live'
import { type Look, shownStatuses } from './look'
import { isIn, type SessionScope } from './scope'
import { containsText } from './title'

/** A session that a filter shows. */
export interface MatchedSession {
  key: number
  projectId: number | null
  lastEventAt: number
}

export const hasFilter = ({ statuses, needed, q, agent, since }: TreeFilter): boolean =>
  [statuses, needed, q, agent, since].some((part) => part !== undefined)

/** Sessions that are of a status, or hold something that is, and fit the rest of the filter. */
export async function matchSessions(
  context: ReadContext,
  filter: TreeFilter,
  scope: SessionScope,
  look: Look,
): Promise<Map<number, MatchedSession>> {
  const conditions = [isIn(context, scope)]
  if (filter.since !== undefined) conditions.push(sql`s.last_event_at > ${filter.since}`)
  if (filter.q !== undefined) conditions.push(containsText(context, 's.title', filter.q))
  if (filter.agent !== undefined) conditions.push(sql`s.agent = ${filter.agent}`)
  if (filter.needed !== undefined)
    conditions.push(sql`${context.capabilities.inKeys(sql.ref<number>('s.id'), [...look.sessions.keys()])}`)
  if (filter.statuses !== undefined) conditions.push(mayHold(new Set(filter.statuses), look.now))
  const { rows } = await sql<SignalColumns & { key: number; project: number | null }>`
    select s.id as key, s.project_id as project, ${sql.raw(SIGNALS)} from sessions s where ${sql.join(conditions, sql` and `)}
  `.execute(context.db)
  const { statuses } = filter
  const isShown = statuses === undefined ? () => true : await judge(context, rows, statuses, look)
  return new Map(
    rows
      .filter(isShown)
      .map((row) => [row.key, { key: row.key, projectId: row.project, lastEventAt: row.last_event_at ?? 0 }]),
  )
}

/** Whether a session `s` may be of a status, or hold something that is: a query can tell that of most. */
function mayHold(wanted: ReadonlySet<TreeStatus>, now: number): RawBuilder<SqlBool> {
  const wants = (...statuses: TreeStatus[]): boolean => statuses.some((status) => wanted.has(status))
  // Any session may come to that by its silence alone.
  if (wants('ended', 'lost')) return sql`1 = 1`
  const ways = [sql<SqlBool>`1 = 0`]
  if (wants('running', 'waiting', 'idle', 'stuck')) ways.push(mayLive(now))
  if (wants(...OVER)) ways.push(sql`s.id in (select a.session_id from subagents a where a.kind <> 'internal')`)
  else if (wants(...OPEN))
    ways.push(sql`s.id in (select a.session_id from subagents a where a.kind <> 'internal' and ${MAY_RUN})`)
  return sql`(${sql.join(ways, sql` or `)})`
}

type Candidate = SignalColumns & { key: number }

async function judge(
  context: ReadContext,
  rows: readonly Candidate[],
  statuses: readonly TreeStatus[],
  look: Look,
): Promise<(row: Candidate) => boolean> {
  const wanted = new Set<TreeStatus>(statuses)
  const found = new Set<number>()
  const left: Left = new Map()
  const shown = await shownStatuses(
    context,
    rows.map((row) => ({ key: row.key, signals: signalsOf(row) })),
    look,
  )
  for (const row of rows) {
    const status = shown.get(row.key)
    if (status === undefined) continue
    // A call of its main thread is as the session is.
    if (wanted.has(status)) found.add(row.key)
    else left.set(row.key, row)
  }
  await addBySubagents(context, left, wanted, { found, now: look.now })
  return ({ key }) => found.has(key)
}

type Left = Map<number, Candidate>

const OPEN: readonly TreeStatus[] = ['running', 'unknown']
const OVER: readonly TreeStatus[] = ['completed', 'failed', 'killed', 'lost']

async function addBySubagents(
  { db, capabilities }: ReadContext,
  left: Left,
  wanted: ReadonlySet<TreeStatus>,
  { found, now }: { found: Set<number>; now: number },
): Promise<void> {
  const isOverWanted = OVER.some((status) => wanted.has(status))
  if (!isOverWanted && !OPEN.some((status) => wanted.has(status))) return
  const keys = [...left.keys()]
  if (keys.length === 0) return
  const { rows } = await sql<StateColumns & { session: number }>`
    select a.session_id as session, ${sql.raw(STATE_COLUMNS)} from subagents a ${sql.raw(LAUNCH_JOIN)}
     where ${capabilities.inKeys(sql.ref<number>('a.session_id'), keys)} and a.kind <> 'internal'
       and ${isOverWanted ? sql`1 = 1` : MAY_RUN}
  `.execute(db)
  for (const row of rows) {
    const session = left.get(row.session)
    if (session === undefined || found.has(row.session)) continue
    if (wanted.has(nodeState(row, signalsAt(signalsOf(session), now)).status)) found.add(row.session)
  }
}
