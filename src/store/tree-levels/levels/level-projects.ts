import { sql } from 'kysely'
import type { TreeEntry, TreeRequest } from '../../../domain/overview/tree-level'
import { SUMS, type UsageColumns } from '../../session/reads/usage-totals'
import type { ReadContext } from '../../sql/read-context'
import { IS_UNSEEN } from '../../unseen-agents'
import { projectEntry } from '../entries'
import { type Forest, type ForestTask, readForest, sessionsBelow } from '../forest'
import { type LiveSession, readLive } from '../live'
import type { Look } from '../look'
import { hasFilter, matchSessions } from '../match-sessions'
import { compareHeard, type Heard, pageOfRows } from '../page'
import { type Projects, readProjects } from '../projects'
import { isIn } from '../scope'
import { addSum, addUsage, newSum, type Sum, toRollup } from '../sums'
import { visibleTasks } from '../visible'
import { addLive, readSessionSums, sumTasks } from '../work-sums'

/** The key of a group; `null` = work of no project. */
export type GroupKey = string | null

/** The project in which a task at the top works: that of its conversation, else the one around the folder asked for. */
export function groupOfTask(task: ForestTask, forest: Forest, projects: Projects): GroupKey {
  const last = task.sessions.map((key) => forest.sessions.get(key)).find((one) => one?.id === task.lastSession)
  return (last === undefined ? null : projects.ofRow(last.projectId)) ?? projects.around(task.dir)
}

interface Group {
  sum: Sum
  /** Tasks at its top and sessions without a task that are shown. */
  children: number
}

/** All projects, and the work of none, with what each comes to. */
export async function projectsLevel(
  context: ReadContext,
  request: TreeRequest,
  look: Look,
): Promise<{ entries: TreeEntry[]; total: number; nextCursor: string | null }> {
  const { limit, cursor, statuses, needed, q, agent, since } = request
  const [projects, forest] = [await readProjects(context), await readForest(context, null, q)]
  const groups = new Map<GroupKey, Group>()
  const groupOf = (key: GroupKey): Group => {
    const found = groups.get(key)
    if (found !== undefined) return found
    const made: Group = { sum: newSum(), children: 0 }
    groups.set(key, made)
    return made
  }
  await addSums(context, { projects, forest, groupOf }, look)
  await countChildren(context, { projects, forest, groupOf }, request, look)
  const scope = { level: 'projects', statuses, needed, q, agent, since }
  const page = pageOfRows(
    [...groups]
      .filter(([, group]) => group.children > 0)
      .map(([key, group]) => ({ key, group, place: placeOf(key, group) }))
      .sort((a, b) => compareHeard(a.place, b.place)),
    { limit, cursor, scope },
    ({ place }): [number, string] => [place.at, String(place.key)],
    (a, b) => compareHeard({ at: a[0], sort: 2, key: a[1] }, { at: b[0], sort: 2, key: b[1] }),
    ['number', 'string'],
  )
  const entries = page.rows.map(({ key, group }) => ({
    ...projectEntry(key === null ? null : (projects.groups.get(key) ?? null)),
    childCount: group.children,
    rollup: toRollup(group.sum),
  }))
  const total = [...groups.values()].filter(({ children }) => children > 0).length
  return { entries, total, nextCursor: page.nextCursor }
}

const placeOf = (key: GroupKey, { sum }: Group): Heard => ({ at: sum.lastEventAt, sort: 2, key: key ?? '' })

interface Parts {
  projects: Projects
  forest: Forest
  groupOf(key: GroupKey): Group
}

/** Each session counts once in each project in which it stands: below tasks of that project, or of that project and without a task. */
async function addSums(context: ReadContext, { projects, forest, groupOf }: Parts, look: Look): Promise<void> {
  const live = await readLive(context, {}, look)
  const standsIn = new Map<number, Set<GroupKey>>()
  for (const root of forest.roots) {
    const group = groupOfTask(root, forest, projects)
    addSum(groupOf(group).sum, sumTasks(root, live, look))
    for (const key of sessionsBelow(root)) standsIn.set(key, (standsIn.get(key) ?? new Set()).add(group))
  }
  // Most stand where they would without their task: the database adds them up with all others.
  const elsewhere = [...standsIn].filter(([key, groups]) => {
    const own = projects.ofRow(forest.sessions.get(key)?.projectId ?? null)
    return groups.size > 1 || !groups.has(own)
  })
  const elsewhereKeys = elsewhere.map(([key]) => key)
  const moved = await readSessionSums(context, elsewhereKeys, live, look)
  for (const [key, groups] of elsewhere)
    for (const group of groups) addSum(groupOf(group).sum, moved.get(key) ?? newSum())
  const isMoved = new Set(elsewhereKeys)
  for (const session of live.values() as Iterable<LiveSession>)
    if (!isMoved.has(session.key)) addLive(groupOf(projects.ofRow(session.projectId)).sum, session)
  for (const [key, { projectId, count }] of look.sessions)
    if (!isMoved.has(key)) groupOf(projects.ofRow(projectId)).sum.needs += count
  await addTotals(context, { projects, groupOf }, elsewhereKeys)
}

async function addTotals(
  context: ReadContext,
  { projects, groupOf }: Pick<Parts, 'projects' | 'groupOf'>,
  without: readonly number[],
): Promise<void> {
  const { db, costOf } = context
  const isHere = isIn(context, { without })
  const heard = await sql<{ project: number | null; at: number }>`
    select s.project_id as project, max(coalesce(s.last_event_at, 0)) as at from sessions s where ${isHere} group by s.project_id
  `.execute(db)
  for (const { project, at } of heard.rows) {
    const { sum } = groupOf(projects.ofRow(project))
    sum.lastEventAt = Math.max(sum.lastEventAt, at)
  }
  const used = await sql<UsageColumns & { project: number | null }>`
    select s.project_id as project, u.model, ${sql.raw(SUMS)} from usage_sessions u join sessions s on s.id = u.session_id
     where ${isHere} group by s.project_id, u.model
  `.execute(db)
  for (const row of used.rows) addUsage(groupOf(projects.ofRow(row.project)).sum, row, costOf)
  const unseen = await sql<{ project: number | null; count: number }>`
    select s.project_id as project, count(*) as count from subagents a join sessions s on s.id = a.session_id
     where ${sql.raw(IS_UNSEEN)} and ${isHere} group by s.project_id
  `.execute(db)
  for (const { project, count } of unseen.rows) groupOf(projects.ofRow(project)).sum.unknownAgents += Number(count)
}

async function countChildren(
  context: ReadContext,
  { projects, forest, groupOf }: Parts,
  request: TreeRequest,
  look: Look,
): Promise<void> {
  const count = (key: GroupKey, more: number) => {
    groupOf(key).children += more
  }
  if (!hasFilter(request)) {
    for (const root of forest.roots) count(groupOfTask(root, forest, projects), 1)
    const without = [...forest.sessions.keys()]
    const { rows } = await sql<{ project: number | null; count: number }>`
      select s.project_id as project, count(*) as count from sessions s where ${isIn(context, { without })} group by s.project_id
    `.execute(context.db)
    for (const row of rows) count(projects.ofRow(row.project), row.count)
    return
  }
  const sessions = await matchSessions(context, request, {}, look)
  const tasks = visibleTasks(forest, request, { sessions, look })
  for (const root of forest.roots) if (tasks.has(root.key)) count(groupOfTask(root, forest, projects), 1)
  for (const { key, projectId } of sessions.values()) if (!forest.sessions.has(key)) count(projects.ofRow(projectId), 1)
}
