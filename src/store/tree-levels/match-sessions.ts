import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { TODO_STATUSES } from '../../domain/observation'
import { bareStatus } from '../../domain/session-status'
import { isSessionOver } from '../../domain/subagent-status'
import type { TreeStatus } from '../../domain/tree-entry'
import type { TreeFilter } from '../../domain/tree-level'
import type { ReadContext } from '../read-context'
import { nodeState, type StateColumns } from '../run-state'
import { SIGNALS, type SignalColumns, signalsOf } from '../session-signals'
import { LAUNCH_JOIN, MAY_RUN, mayLive, STATE_COLUMNS } from './live'
import { isIn, type SessionScope } from './scope'
import { containsText } from './title'
import { TODO_STATUS, TODO_TABLES } from './todo-status'

/** A session that a filter shows. */
export interface MatchedSession {
  key: number
  projectId: number | null
  lastEventAt: number
}

export const hasFilter = ({ statuses, q, since }: TreeFilter): boolean =>
  statuses !== undefined || q !== undefined || since !== undefined

/** Sessions that are of a status, or hold something that is, and fit the rest of the filter. */
export async function matchSessions(
  context: ReadContext,
  filter: TreeFilter,
  scope: SessionScope,
  now: number,
): Promise<Map<number, MatchedSession>> {
  const conditions = [isIn(context, scope)]
  if (filter.since !== undefined) conditions.push(sql`s.last_event_at > ${filter.since}`)
  if (filter.q !== undefined) conditions.push(containsText(context, 's.title', filter.q))
  if (filter.statuses !== undefined) conditions.push(mayHold(new Set(filter.statuses), now))
  const { rows } = await sql<SignalColumns & { key: number; project: number | null }>`
    select s.id as key, s.project_id as project, ${sql.raw(SIGNALS)} from sessions s where ${sql.join(conditions, sql` and `)}
  `.execute(context.db)
  const { statuses } = filter
  const isShown = statuses === undefined ? () => true : await judge(context, rows, statuses, now)
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
  if (wants('running', 'waiting', 'idle')) ways.push(mayLive(now))
  if (wants(...OVER)) ways.push(sql`s.id in (select a.session_id from subagents a where a.kind <> 'internal')`)
  else if (wants(...OPEN))
    ways.push(sql`s.id in (select a.session_id from subagents a where a.kind <> 'internal' and ${MAY_RUN})`)
  if (wants('running'))
    ways.push(sql`s.id in (select u.session_id from tool_uses u where u.ended_at is null and u.name is not null)`)
  const todos = TODO_STATUSES.filter((status) => wanted.has(status))
  if (todos.length > 0)
    ways.push(sql`s.id in (select t.session_id from ${sql.raw(TODO_TABLES)}
      where t.status <> 'removed' and ${sql.raw(TODO_STATUS)} in (${sql.join(todos)}))`)
  return sql`(${sql.join(ways, sql` or `)})`
}

type Candidate = SignalColumns & { key: number }

async function judge(
  context: ReadContext,
  rows: readonly Candidate[],
  statuses: readonly TreeStatus[],
  now: number,
): Promise<(row: Candidate) => boolean> {
  const wanted = new Set<TreeStatus>(statuses)
  const found = new Set<number>()
  const left = new Map<number, Candidate>()
  for (const row of rows) {
    if (wanted.has(bareStatus(signalsOf(row), now))) found.add(row.key)
    else left.set(row.key, row)
  }
  await addByTodos(context, left, wanted, found)
  await addByCalls(context, left, wanted, found)
  await addBySubagents(context, left, wanted, found)
  return ({ key }) => found.has(key)
}

type Left = ReadonlyMap<number, Candidate>

async function addByTodos(
  { db, capabilities }: ReadContext,
  left: Left,
  wanted: ReadonlySet<TreeStatus>,
  found: Set<number>,
): Promise<void> {
  const statuses = TODO_STATUSES.filter((status) => wanted.has(status))
  if (left.size === 0 || statuses.length === 0) return
  const { rows } = await sql<{ session: number }>`
    select distinct t.session_id as session from ${sql.raw(TODO_TABLES)}
     where t.status <> 'removed' and ${sql.raw(TODO_STATUS)} in (${sql.join(statuses)})
       and ${capabilities.inKeys(sql.ref<number>('t.session_id'), [...left.keys()])}
  `.execute(db)
  for (const { session } of rows) found.add(session)
}

async function addByCalls(
  { db, capabilities }: ReadContext,
  left: Left,
  wanted: ReadonlySet<TreeStatus>,
  found: Set<number>,
): Promise<void> {
  if (!wanted.has('running')) return
  const keys = [...left.values()].filter((row) => isSessionOver(signalsOf(row)) === undefined).map(({ key }) => key)
  if (keys.length === 0) return
  const { rows } = await sql<{ session: number }>`
    select distinct u.session_id as session from tool_uses u
     where u.ended_at is null and u.name is not null and u.subagent_id is null
       and ${capabilities.inKeys(sql.ref<number>('u.session_id'), keys)}
  `.execute(db)
  for (const { session } of rows) found.add(session)
}

const OPEN: readonly TreeStatus[] = ['running', 'unknown']
const OVER: readonly TreeStatus[] = ['completed', 'failed', 'killed', 'lost']

async function addBySubagents(
  { db, capabilities }: ReadContext,
  left: Left,
  wanted: ReadonlySet<TreeStatus>,
  found: Set<number>,
): Promise<void> {
  const isOverWanted = OVER.some((status) => wanted.has(status))
  if (!isOverWanted && !OPEN.some((status) => wanted.has(status))) return
  const keys = [...left.keys()].filter((key) => !found.has(key))
  if (keys.length === 0) return
  const { rows } = await sql<StateColumns & { session: number }>`
    select a.session_id as session, ${sql.raw(STATE_COLUMNS)} from subagents a ${sql.raw(LAUNCH_JOIN)}
     where ${capabilities.inKeys(sql.ref<number>('a.session_id'), keys)} and a.kind <> 'internal'
       and ${isOverWanted ? sql`1 = 1` : MAY_RUN}
  `.execute(db)
  for (const row of rows) {
    const session = left.get(row.session)
    if (session === undefined || found.has(row.session)) continue
    if (wanted.has(nodeState(row, signalsOf(session)).status)) found.add(row.session)
  }
}
