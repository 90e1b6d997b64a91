import { type RawBuilder, sql } from 'kysely'
import { addCosts, UNKNOWN_COST } from '../../../domain/cost/price'
import type { TaskId } from '../../../domain/ids'
import type { TreeEntry, TreeRequest } from '../../../domain/overview/tree-level'
import type { ReadContext } from '../../sql/read-context'
import { IS_UNSEEN } from '../../unseen-agents'
import { projectEntry } from '../entries'
import { type LiveSession, readLive } from '../live'
import type { Look } from '../look'
import { matchWork } from '../match-work'
import { compareHeard, type Heard, pageOfRows } from '../page'
import { type Projects, readProjects } from '../projects'
import { countOtherSessions, countRoots, type GroupKey, groupOf, PLACE, type PlaceColumns } from '../roots'
import { isIn } from '../scope'
import { projectsSince } from '../sums/span-sums'
import { addSum, addUsage, newSum, type Sum, toRollup } from '../sums/sums'
import { addLive, readKeptSums, readSessionSums } from '../sums/work-sums'

interface Group {
  sum: Sum
  /** Tasks at its top and sessions without a task that are shown. */
  children: number
}

/** All projects, and the work of none, with the sums of each. */
export async function projectsLevel(
  context: ReadContext,
  request: TreeRequest,
  look: Look,
): Promise<{ entries: TreeEntry[]; total: number; nextCursor: string | null }> {
  const { limit, cursor, statuses, needed, q, agent, since } = request
  const projects = await readProjects(context)
  const groups = new Map<GroupKey, Group>()
  const of = (key: GroupKey): Group => {
    const found = groups.get(key)
    if (found !== undefined) return found
    const made: Group = { sum: newSum(), children: 0 }
    groups.set(key, made)
    return made
  }
  const parts: Parts = { projects, of, all: await countRoots(context, undefined) }
  await addTasks(context, parts, look)
  await addSessions(context, parts, look)
  await countChildren(context, parts, request, look)
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
  of(key: GroupKey): Group
  /** All outermost tasks. */
  all: Awaited<ReturnType<typeof countRoots>>
}

/** Tasks with everything below them, without their sessions. */
async function addTasks(context: ReadContext, { projects, of, all }: Parts, look: Look): Promise<void> {
  const { db, capabilities } = context
  const sumOf = (place: PlaceColumns): Sum => of(groupOf(place, projects)).sum
  for (const place of all) {
    const sum = sumOf(place)
    sum.lastEventAt = Math.max(sum.lastEventAt, place.at)
  }
  const waiting = await sql<PlaceColumns & { count: number }>`
    select ${PLACE}, count(*) as count from tasks t join work_tasks w on w.task_id = t.id join work_roots r on r.root_id = w.root_id
     where t.status in ('paused', 'pending') and (t.status = 'paused' or t.waiting_for is not null) group by 1, 2
  `.execute(db)
  for (const row of waiting.rows) sumOf(row).blocked += Number(row.count)
  const needy = await sql<PlaceColumns & { id: TaskId }>`
    select ${PLACE}, t.public_id as id from tasks t join work_tasks w on w.task_id = t.id join work_roots r on r.root_id = w.root_id
     where ${capabilities.inTexts(sql.ref('t.public_id'), [...look.tasks.keys()])}
  `.execute(db)
  for (const row of needy.rows) sumOf(row).needs += look.tasks.get(row.id) ?? 0
}

/** Each session counts once in each project in which it stands: below tasks of that project, or of that project and without a task. */
async function addSessions(context: ReadContext, parts: Parts, look: Look): Promise<void> {
  const { db } = context
  const { projects, of } = parts
  const live = await readLive(context, {}, look)
  // An attempt and the session that it drives are one agent at work; it waits while it has a question open.
  const conversation = sql.raw<string>(context.capabilities.jsonText('a.conversation', 'sessionId'))
  const attempts = await sql<PlaceColumns & { session: number | null }>`
    select ${PLACE}, s.id as session from attempts a join work_tasks w on w.task_id = a.task_id join work_roots r on r.root_id = w.root_id
      left join sessions s on s.native_id = ${conversation}
     where a.ended_at is null and not exists (select 1 from questions q where q.task_id = a.task_id and q.status = 'open')
  `.execute(db)
  for (const row of attempts.rows)
    if (row.session === null || live.get(row.session)?.status !== 'running') of(groupOf(row, projects)).sum.running++
  const elsewhere = await readElsewhere(context, projects)
  const readSums = look.since === undefined ? readKeptSums : readSessionSums
  const moved = await readSums(context, [...elsewhere.keys()], live, look)
  for (const [key, groups] of elsewhere) for (const group of groups) addSum(of(group).sum, moved.get(key) ?? newSum())
  // Most stand where they would without their task: the database adds them up with all others.
  for (const session of live.values() as Iterable<LiveSession>)
    if (!elsewhere.has(session.key)) addLive(of(projects.ofRow(session.projectId)).sum, session)
  for (const [key, { projectId, count }] of look.sessions)
    if (!elsewhere.has(key)) of(projects.ofRow(projectId)).sum.needs += count
  await addTotals(context, parts, [...elsewhere.keys()])
  await addUsed(context, parts, [...elsewhere.keys()], look)
}

/** Word for word as its index has it. */
const IS_ELSEWHERE = sql.raw('(o.root_project_id is distinct from o.project_id or o.root_project_id is null)')

/** Sessions that stand in another project than their own, or in several. */
async function readElsewhere(context: ReadContext, projects: Projects): Promise<Map<number, Set<GroupKey>>> {
  const { db, capabilities } = context
  // Few, in an index of their own; what a database makes of one statement is a walk through all of them.
  const found = await sql<{ session: number }>`
    select o.session_id as session from work_sessions o where ${IS_ELSEWHERE}
  `.execute(db)
  const keys = [...new Set(found.rows.map(({ session }) => session))]
  const { rows } = await sql<PlaceColumns & { session: number; own: number | null }>`
    select w.session_id as session, w.project_id as own, ${PLACE} from work_sessions w join work_roots r on r.root_id = w.root_id
     where ${capabilities.inKeys(sql.ref<number>('w.session_id'), keys)}
  `.execute(db)
  const standsIn = new Map<number, Set<GroupKey>>()
  const own = new Map<number, GroupKey>()
  for (const row of rows) {
    const groups = standsIn.get(row.session)
    if (groups === undefined) standsIn.set(row.session, new Set([groupOf(row, projects)]))
    else groups.add(groupOf(row, projects))
    own.set(row.session, projects.ofRow(row.own))
  }
  for (const [session, groups] of standsIn)
    if (groups.size === 1 && groups.has(own.get(session) ?? null)) standsIn.delete(session)
  return standsIn
}

const HEARD_AT = sql.raw<number>('coalesce(s.last_event_at, 0)')

async function addTotals(context: ReadContext, { projects, of }: Parts, without: readonly number[]): Promise<void> {
  const { db } = context
  const isHere = isIn(context, { without })
  // By a look at the end of each project: PostgreSQL's index tells all sums, but not the time without the row.
  const newestOf = (isOfProject: RawBuilder<unknown>) => sql`(
    select ${HEARD_AT} from sessions s where ${isOfProject} and ${isHere} order by ${HEARD_AT} desc, s.id desc limit 1)`
  const newest = await sql<{ project: number | null; at: number | null }>`
    select p.id as project, ${newestOf(sql`s.project_id = p.id`)} as at from projects p
    union all select null, ${newestOf(sql`s.project_id is null`)}
  `.execute(db)
  for (const { project, at } of newest.rows) {
    if (at === null) continue
    const { sum } = of(projects.ofRow(project))
    sum.lastEventAt = Math.max(sum.lastEventAt, at)
  }
  const unseen = await sql<{ project: number | null; count: number }>`
    select s.project_id as project, count(*) as count from subagents a join sessions s on s.id = a.session_id
     where ${sql.raw(IS_UNSEEN)} and ${isHere} group by s.project_id
  `.execute(db)
  for (const { project, count } of unseen.rows) of(projects.ofRow(project)).sum.unknownAgents += Number(count)
}

/** Tokens and costs: all, those since, those of an agent CLI. */
async function addUsed(
  context: ReadContext,
  { projects, of }: Parts,
  without: readonly number[],
  { since, agent }: Look,
): Promise<void> {
  if (since !== undefined) {
    for (const row of await projectsSince(context, since, without, agent))
      addUsage(of(projects.ofRow(row.project)).sum, row, context.costOf)
    return
  }
  // Not as a condition: SQLite would go by an index of agents, which does not hold all sums.
  const counted = agent === undefined ? sql`1 = 1` : sql`s.agent = ${agent}`
  const { rows } = await sql<{
    project: number | null
    tokens: number
    cost: number | null
    has_unpriced: number
    is_estimate: number
  }>`
    select s.project_id as project, cast(sum(case when ${counted} then s.token_count else 0 end) as bigint) as tokens,
           sum(case when ${counted} then s.cost_usd end) as cost,
           max(case when ${counted} and s.cost_usd is null then 1 else 0 end) as has_unpriced,
           max(case when ${counted} then s.is_cost_estimate else 0 end) as is_estimate
      from sessions s where ${isIn(context, { without })} group by s.project_id
  `.execute(context.db)
  for (const row of rows) {
    const { sum } = of(projects.ofRow(row.project))
    sum.tokens += Number(row.tokens)
    sum.cost = addCosts(sum.cost, { costUsd: row.cost ?? 0, isEstimate: row.is_estimate > 0 })
    if (row.has_unpriced > 0) sum.cost = addCosts(sum.cost, UNKNOWN_COST)
  }
}

async function countChildren(
  context: ReadContext,
  { projects, of, all }: Parts,
  request: TreeRequest,
  look: Look,
): Promise<void> {
  const match = await matchWork(context, request, look)
  for (const place of match === undefined ? all : await countRoots(context, match.root))
    of(groupOf(place, projects)).children += Number(place.count)
  for (const row of await countOtherSessions(context, match?.counted ?? {}))
    of(projects.ofRow(row.project)).children += Number(row.count)
}
