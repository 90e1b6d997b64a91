/** Which trees of work a filter shows. */
import { type SqlBool, sql } from 'kysely'
import type { TreeFilter } from '../../domain/overview/tree-level'
import type { ShownTaskStatus } from '../../domain/task/task'
import type { ReadContext } from '../sql/read-context'
import { isShownAs } from '../tasks/reads/tasks'
import { type Forest, readForest } from './forest'
import type { Look } from './look'
import { hasFilter, keysThatFit, type MatchScope, type SessionMatch, sessionFits } from './match-sessions'
import { type Condition, type CountedSessions, readRoots } from './roots'
import { visibleTasks } from './visible'

/** What a filter shows. */
export interface WorkMatch {
  /** On sessions `s`. */
  session: Condition
  /** The same to count sessions by. */
  counted: CountedSessions
  /** On outermost tasks `r`: they, or something below them, fit. */
  root: Condition
  /** What is shown of some trees. */
  within(forest: Forest): Promise<{ shownTasks: ReadonlySet<number>; matched: ReadonlySet<number> }>
}

/**
 * @param scope  of other work nothing is asked. Left out: all work
 * @returns `undefined` = there is no filter
 */
export async function matchWork(
  context: ReadContext,
  filter: TreeFilter,
  look: Look,
  scope?: MatchScope,
): Promise<WorkMatch | undefined> {
  if (!hasFilter(filter)) return undefined
  const sessions = await sessionFits(context, filter, look, scope)
  const session = sessions.condition
  const within: WorkMatch['within'] = async (forest) => {
    const matched = await keysThatFit(context, session, [...forest.sessions.keys()])
    return { shownTasks: visibleTasks(forest, filter, { sessions: matched, look }), matched }
  }
  const root = rootFits(context, filter, { match: sessions, scope }, look)
  const counted = isByAgentAlone(filter) ? { agent: filter.agent } : { where: session, known: sessions.others }
  if (!isByBoth(filter)) return { session, counted, root, within }
  // When a task within a tree was heard of is known only with the whole tree.
  const maybe = await readRoots(context, root, undefined, null)
  const forest = await readForest(context, { roots: maybe.map(({ key }) => Number(key)) }, filter.q)
  const { shownTasks } = await within(forest)
  const keys = forest.roots.flatMap(({ key }) => (shownTasks.has(key) ? key : []))
  return { session, counted, root: sql`${context.capabilities.inKeys(sql.ref<number>('r.root_id'), keys)}`, within }
}

/** By the time and by what a task is as well: both must be true of the same one. */
const isByBoth = ({ since, statuses, q, needed, agent }: TreeFilter): boolean =>
  since !== undefined && agent === undefined && [statuses, q, needed].some((part) => part !== undefined)

const isByAgentAlone = ({ agent, ...rest }: TreeFilter): boolean => agent !== undefined && !hasFilter(rest)

/** By the time only that of the whole tree counts here. */
function rootFits(
  context: ReadContext,
  filter: TreeFilter,
  { match: { link }, scope }: { match: SessionMatch; scope: MatchScope | undefined },
  look: Look,
): Condition {
  const { statuses, q, needed, agent, since } = filter
  const bySession = sql<SqlBool>`r.root_id in (select w.root_id from work_sessions w where ${link})`
  // Only its sessions tell which agent CLI worked on a task.
  if (isByAgentAlone(filter))
    return sql`exists (select 1 from work_sessions w where w.root_id = r.root_id and w.agent = ${agent})`
  if (agent !== undefined) return bySession
  const heard = since === undefined ? sql<SqlBool>`1 = 1` : sql<SqlBool>`r.heard_at > ${since}`
  const conditions: Condition[] = []
  // Those of other kinds of entries no task has.
  if (statuses !== undefined) conditions.push(isShownAs(statuses as readonly ShownTaskStatus[]))
  if (q !== undefined) conditions.push(context.capabilities.containsFolded(sql.ref('t.title'), q))
  if (needed !== undefined)
    conditions.push(sql`${context.capabilities.inTexts(sql.ref('t.public_id'), [...look.tasks.keys()])}`)
  const isTask = sql`${sql.join(conditions, sql` and `)}`
  const byTask =
    conditions.length === 0
      ? sql`1 = 1`
      : q !== undefined && scope?.root !== undefined
        ? sql`r.root_id in (select r.root_id from work_roots r join work_tasks w on w.root_id = r.root_id
            join tasks t on t.id = w.task_id where ${scope.root} and ${isTask})`
        : sql`r.root_id in (select w.root_id from tasks t join work_tasks w on w.task_id = t.id where ${isTask})`
  return sql`((${heard} and ${byTask}) or ${bySession})`
}
