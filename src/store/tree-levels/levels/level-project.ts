import { sql } from 'kysely'
import type { TreeEntry, TreeRequest } from '../../../domain/overview/tree-level'
import { decodeCursor, encodeCursor } from '../../sql/cursor'
import type { ReadContext } from '../../sql/read-context'
import { projectEntry } from '../entries'
import { type ForestTask, heardBelow, readForest, sessionsBelow } from '../forest'
import type { Look } from '../look'
import { hasFilter, matchSessions } from '../match-sessions'
import { compareHeard, type Heard } from '../page'
import { readProjects } from '../projects'
import { isIn, type SessionScope } from '../scope'
import { showSessions, showTasks } from '../show'
import { visibleTasks } from '../visible'
import { groupOfTask } from './level-projects'

const TASK = 0
const SESSION = 1

/** Tasks at the top of a project and its sessions without a task, what was heard of last first. */
export async function projectLevel(
  context: ReadContext,
  key: string | null,
  request: TreeRequest,
  look: Look,
): Promise<{ path: TreeEntry[]; entries: TreeEntry[]; total: number; nextCursor: string | null } | undefined> {
  const { limit, cursor, statuses, needed, q, agent, since } = request
  const projects = await readProjects(context)
  const group = key === null ? null : projects.groups.get(key)
  if (group === undefined) return undefined
  const forest = await readForest(context, null, q)
  const scope: SessionScope = { projects: group?.ids ?? null, without: [...forest.sessions.keys()] }
  const isFiltered = hasFilter(request)
  // A task that is shown may have its sessions in other projects.
  const matched = isFiltered ? await matchSessions(context, request, {}, look) : undefined
  const shownTasks = matched === undefined ? undefined : visibleTasks(forest, request, { sessions: matched, look })
  const roots = forest.roots.filter(
    (root) => groupOfTask(root, forest, projects) === key && shownTasks?.has(root.key) !== false,
  )
  const tasks = roots.map((task) => ({ task, place: heardOf(task, heardBelow(task, forest.sessions)) }))

  const paging = { level: 'project', key, statuses, needed, q, agent, since }
  const after = cursor === undefined ? undefined : readPlace(cursor, paging)
  const own = matched && new Set([...matched.keys()].filter((one) => !forest.sessions.has(one)))
  const sessions = await readSessions(
    context,
    own === undefined ? scope : { ...scope, keys: [...own] },
    after,
    limit + 1,
  )
  const left = [...tasks.map(({ place }) => place), ...sessions.rows]
    .filter((place) => after === undefined || compareHeard(place, after) > 0)
    .sort(compareHeard)
  const page = left.slice(0, limit)
  const last = left.length > limit ? page.at(-1) : undefined

  const byKey = new Map(tasks.map(({ task }) => [task.key, task]))
  const pageTasks = page.flatMap(({ sort, key: each }) => (sort === TASK ? (byKey.get(Number(each)) ?? []) : []))
  const taskEntries = await showTasks(context, pageTasks, { shownTasks, matched, sessionsOf: sessionsBelow, look })
  const pageSessions = page.flatMap(({ sort, key: each }) => (sort === SESSION ? Number(each) : []))
  const sessionEntries = await showSessions(context, pageSessions, request, look)
  return {
    path: [{ ...projectEntry(group), childCount: tasks.length + sessions.total > 0 ? 1 : 0 }],
    entries: page.flatMap(
      ({ sort, key: each }) => (sort === TASK ? taskEntries : sessionEntries).get(Number(each)) ?? [],
    ),
    total: tasks.length + sessions.total,
    nextCursor: last === undefined ? null : encodeCursor(paging, [last.at, last.sort, last.key]),
  }
}

const heardOf = (task: ForestTask, at: number): Heard => ({ at, sort: TASK, key: task.key })

function readPlace(cursor: string, scope: Record<string, unknown>): Heard {
  const [at, sort, key] = decodeCursor(cursor, scope, ['number', 'number', 'number']) as [number, number, number]
  return { at, sort, key }
}

/** The next sessions in the order of a level, and how many there are in all. */
async function readSessions(
  context: ReadContext,
  scope: SessionScope,
  after: Heard | undefined,
  limit: number,
): Promise<{ rows: Heard[]; total: number }> {
  const isHere = isIn(context, scope)
  const heard = sql.raw<number>('coalesce(s.last_event_at, 0)')
  // Of the time of the place itself all are read that may follow: tasks stand before sessions.
  const isAfter =
    after === undefined
      ? sql`1 = 1`
      : after.sort === TASK
        ? sql`${heard} <= ${after.at}`
        : sql`${heard} <= ${after.at} and (${heard} < ${after.at} or s.id < ${after.key})`
  const { rows } = await sql<{ key: number; at: number }>`
    select s.id as key, ${heard} as at from sessions s where ${isHere} and ${isAfter}
     order by ${heard} desc, s.id desc limit ${limit}
  `.execute(context.db)
  const counted = await sql<{ count: number }>`
    select count(*) as count from sessions s where ${isHere}`.execute(context.db)
  return { rows: rows.map(({ key, at }) => ({ at, sort: SESSION, key })), total: counted.rows[0]?.count ?? 0 }
}
