import { type SqlBool, sql } from 'kysely'
import type { TreeEntry, TreeRequest } from '../../../domain/overview/tree-level'
import { decodeCursor, encodeCursor } from '../../sql/cursor'
import type { ReadContext } from '../../sql/read-context'
import { projectEntry } from '../entries'
import { readForest, sessionsBelow } from '../forest'
import type { Look } from '../look'
import { matchWork } from '../match-work'
import { compareHeard, type Heard } from '../page'
import { readProjects } from '../projects'
import {
  type Condition,
  countOtherSessions,
  countRoots,
  IS_WITHOUT_TASK,
  isOfGroup,
  readRoots,
  SESSION,
  TASK,
} from '../roots'
import { isIn } from '../scope'
import { showSessions, showTasks } from '../show'

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
  const isOfProject = await isOfGroup(context, key, projects)
  const isOwn = isIn(context, { projects: group?.ids ?? null })
  const isBelow = sql<SqlBool>`s.id in (
    select w.session_id from work_sessions w join work_roots r on r.root_id = w.root_id where ${isOfProject})`
  const match = await matchWork(context, request, look, { sessions: [isOwn, isBelow], root: isOfProject })
  const isRoot = sql<SqlBool>`${isOfProject} and ${match?.root ?? sql`1 = 1`}`
  const isSession = sql<SqlBool>`${isOwn} and ${match?.session ?? sql`1 = 1`} and ${IS_WITHOUT_TASK}`

  const paging = { level: 'project', key, statuses, needed, q, agent, since }
  const after = cursor === undefined ? undefined : readPlace(cursor, paging)
  // What a filter shows is found by a walk: once. Without one the index has the order, and the count.
  const matched = match === undefined ? undefined : await readRoots(context, isRoot, undefined, null)
  const tasks =
    matched?.filter((task) => isBehind(task, after)).slice(0, limit + 1) ??
    (await readRoots(context, isRoot, after, limit + 1))
  const sessions = await readSessions(context, isSession, after, limit + 1)
  const left = [...tasks, ...sessions].sort(compareHeard)
  const page = left.slice(0, limit)
  const last = left.length > limit ? page.at(-1) : undefined

  const keysOf = (wanted: number) => page.flatMap(({ sort, key: each }) => (sort === wanted ? Number(each) : []))
  const forest = await readForest(context, { roots: keysOf(TASK) }, q)
  const shown = await match?.within(forest)
  const entries = {
    [TASK]: await showTasks(context, forest.roots, { ...shown, sessionsOf: sessionsBelow, look }),
    [SESSION]: await showSessions(context, keysOf(SESSION), request, look),
  }
  const roots =
    matched?.length ?? (await countRoots(context, isRoot)).reduce((sum, { count }) => sum + Number(count), 0)
  const others = await countOtherSessions(context, { ...match?.counted, projects: group?.ids ?? null })
  const total = roots + others.reduce((sum, { count }) => sum + Number(count), 0)
  return {
    path: [{ ...projectEntry(group), childCount: total > 0 ? 1 : 0 }],
    entries: page.flatMap(({ sort, key: each }) => entries[sort as 0 | 1].get(Number(each)) ?? []),
    total,
    nextCursor: last === undefined ? null : encodeCursor(paging, [last.at, last.sort, last.key]),
  }
}

function readPlace(cursor: string, scope: Record<string, unknown>): Heard {
  const [at, sort, key] = decodeCursor(cursor, scope, ['number', 'number', 'number']) as [number, number, number]
  return { at, sort, key }
}

/** As `readRoots` asks the database. */
const isBehind = (task: Heard, after: Heard | undefined): boolean =>
  after === undefined || (after.sort === TASK ? compareHeard(after, task) < 0 : task.at < after.at)

/** The next sessions in the order of a level. */
async function readSessions(
  { db }: ReadContext,
  isHere: Condition,
  after: Heard | undefined,
  limit: number,
): Promise<Heard[]> {
  const heard = sql.raw<number>('coalesce(s.last_event_at, 0)')
  // For the time of the place itself, all rows are read that may follow: tasks stand before sessions.
  const isAfter =
    after === undefined
      ? sql`1 = 1`
      : after.sort === TASK
        ? sql`${heard} <= ${after.at}`
        : sql`${heard} <= ${after.at} and (${heard} < ${after.at} or s.id < ${after.key})`
  const { rows } = await sql<{ key: number; at: number }>`
    select s.id as key, ${heard} as at from sessions s where ${isHere} and ${isAfter}
     order by ${heard} desc, s.id desc limit ${limit}
  `.execute(db)
  return rows.map(({ key, at }) => ({ at, sort: SESSION, key }))
}
