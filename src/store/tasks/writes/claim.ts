import { sql } from 'kysely'
import type { AgentName } from '../../../domain/ids'
import { meets } from '../../../domain/machine/needs'
import { chooseCli } from '../../../domain/task/agent-choice'
import { modesBelow } from '../../../domain/task/permission-mode'
import {
  hasLimits,
  inGroups,
  type PlacementLimits,
  type Running,
  RunningCounts,
} from '../../../domain/task/placement/placement'
import type { AgentRow, TaskRow } from '../../../domain/task/task-store'
import { perDialect, type TaskDialect, takeTurn } from '../../sql/dialect'
import { first, type Program, rows, type Value } from '../../sql/program'
import { statement } from '../../sql/statement'
import { IN_ITS_DIRS } from '../agent-dirs'
import { isCapable, OPEN_SETS, type OpenSet, OWN_SETS } from '../capability-sets'
import { TASK } from '../rows'
import type { ReadTasks } from './read-tasks'

/**
 * These statements are text: how many parts one has depends on the sets, and a plus and the place of a limit steer SQLite's planner.
 */
const TASK_COLUMNS = TASK.select('t')

/** How often a claim begins anew because others changed every row that it chose. */
const TURNS = 5

/**
 * @see TaskTx.claimable
 *
 * First the best rows of each set of capabilities that the agent has, along the index; then the best of these, locked. So
 * tasks that it may not take cost nothing, but for those that it rejected itself or that are in folders of others, which are stepped over one by one.
 */
export function* claimable(
  db: TaskDialect,
  read: ReadTasks,
  agent: AgentRow,
  now: number,
  isAssignedOnly: boolean,
  limits: PlacementLimits,
): Program<TaskRow | undefined> {
  for (let turn = 0, depth = db.candidates; turn < TURNS; turn++, depth *= 8) {
    const open = yield* rows<OpenSet>(isAssignedOnly ? SETS.own : SETS.open, agent.key)
    const sets = open.filter((set) => isCapable(agent, set, now))
    if (sets.length === 0) return undefined
    const best = yield* bestOf(sets, agent, now, depth)
    if (best.length === 0) return undefined
    const groups = yield* grouped(db, read, best, agent, now, limits)
    if (groups.length === 0) return undefined
    let isOvertaken = false
    for (const keys of groups) {
      const task = yield* take(db, agent, now, keys)
      if (task === undefined) continue
      // It may have been given another set of capabilities between the two looks at it.
      const isFit =
        task.requiredCapabilities.every((need) => meets(agent, need)) &&
        chooseCli(task.neededClis, agent, now) !== undefined
      if (isFit) {
        const agentCli = chooseCli(task.neededClis, agent, now) ?? null
        read.running?.push({ share: task.share, agentCli, count: 1 })
        return read.read(task)
      }
      isOvertaken = true
    }
    if (!isOvertaken && best.length < depth) return undefined
  }
  return undefined
}

/** @see TaskTx.isAskedFor */
export function* isAskedFor(agent: AgentRow, now: number, isAssignedOnly: boolean): Program<boolean> {
  const open = yield* rows<OpenSet>(isAssignedOnly ? SETS.own : SETS.open, agent.key)
  return open.some((set) => isCapable(agent, set, now))
}

/** A row that may be taken. */
interface Best {
  id: number
  priority: number
  open_to: number
  repository: string | null
  set: OpenSet
}

/** Their keys by the rule of placement. What runs is counted only where it makes a difference. */
function* grouped(
  db: TaskDialect,
  read: ReadTasks,
  best: readonly Best[],
  agent: AgentRow,
  now: number,
  limits: PlacementLimits,
): Program<number[][]> {
  const repositories = agent.machine?.repositories ?? []
  const isNear = ({ repository }: Best): boolean => repository !== null && repositories.includes(repository)
  const isOneShare = best.every(({ set }) => set.share === best[0]?.set.share)
  const isPlain = isOneShare && !hasLimits(limits) && best.every((one) => isNear(one) === isNear(best[0] as Best))
  if (isPlain) return [best.map(({ id }) => id)]
  // Where a limit counts, what others take at this moment counts too.
  if (hasLimits(limits)) yield* takeTurn(db, 'limits of running tasks')
  read.running ??= yield* running()
  const counts = new RunningCounts(read.running)
  const candidates = best.map((one) => ({
    key: one.id,
    priority: one.priority,
    isOwn: one.open_to !== 0,
    share: one.set.share,
    agentCli: chooseCli(JSON.parse(one.set.clis) as AgentName[], agent, now) ?? null,
    isNear: isNear(one),
  }))
  return inGroups(candidates, counts, limits).map((group) => group.map(({ key }) => key))
}

/** @see TaskTx.running */
export function* running(): Program<Running[]> {
  return (yield* RUNNING.rows()).map(({ share, clis, count }) => ({
    share,
    agentCli: (JSON.parse(clis) as AgentName[])[0] ?? null,
    count: Number(count),
  }))
}

const RUNNING = statement()((db) =>
  db
    .selectFrom('tasks')
    .select(['share', 'needed_clis as clis', (eb) => eb.fn.countAll<number>().as('count')])
    .where('status', '=', sql.lit('in_progress'))
    .groupBy(['share', 'needed_clis']),
)

/**
 * For an open task `t`: its time has come, and this agent has not rejected it and runs tasks in its folder. Parameters: now, the agent's
 * key, and again that key.
 */
const MAY_TAKE = `(t.not_before is null or t.not_before <= ?)
  and not exists (select 1 from rejections r where r.task_id = t.id and r.agent_id = ?)
  and ${IN_ITS_DIRS}`

/**
 * For a task `t`: its run does no more than the ceiling allows. Few different texts, of our own words. @param ceiling  `null` = the agent
 * does not say
 */
export const belowCeiling = (ceiling: string | null): string =>
  ceiling === null
    ? '1 = 1'
    : `(t.permission_mode is null or t.permission_mode in (${modesBelow(ceiling)
        .map((mode) => `'${mode}'`)
        .join(', ')}))`

const setsOf = (table: string): string =>
  `with recursive ${table} select s.open_to, s.capability_set, c.capabilities, c.clis, c.share
    from open_sets s join capability_sets c on c.id = s.capability_set`
const SETS = { open: setsOf(OPEN_SETS), own: setsOf(OWN_SETS) }

const BEST_OF_SET = `select t.id, t.priority, t.open_to, t.capability_set, t.repository from tasks t where t.open_to = ? and t.capability_set = ? and ${MAY_TAKE}`
const bestTexts = new Map<string, string>()

/** The limit stands in the text: with a parameter in its place the same statement takes SQLite 35 µs instead of 1. */
function bestText(width: number, depth: number, ceiling: string): string {
  const name = `${width} ${depth} ${ceiling}`
  let text = bestTexts.get(name)
  if (text === undefined) {
    const best = `${BEST_OF_SET} and ${ceiling} order by t.priority desc, t.id limit`
    const each = Array.from({ length: width }, (_, at) => `select * from (${best} ${depth}) as best${at}`)
    text = each.join(' union all ')
    bestTexts.set(name, text)
  }
  return text
}

/** Sets asked for by one statement. */
const SETS_AT_ONCE = 64

function* bestOf(sets: OpenSet[], agent: AgentRow, now: number, depth: number): Program<Best[]> {
  const ceiling = belowCeiling(agent.maxPermissionMode)
  const found = new Map<number, Best>()
  for (let from = 0; from < sets.length; from += SETS_AT_ONCE) {
    const some = sets.slice(from, from + SETS_AT_ONCE)
    // A power of two of them, the last one repeated: few different statements are compiled.
    const width = 2 ** Math.ceil(Math.log2(some.length))
    const params: Value[] = []
    for (let i = 0; i < width; i++) {
      const set = some[Math.min(i, some.length - 1)] as OpenSet
      params.push(set.open_to, set.capability_set, now, agent.key, agent.key)
    }
    // The last set is asked for more than once.
    for (const row of yield* rows<Omit<Best, 'set'> & { capability_set: number }>(
      bestText(width, depth, ceiling),
      ...params,
    )) {
      const set = some.find(({ capability_set }) => Number(capability_set) === Number(row.capability_set))
      if (set !== undefined) found.set(Number(row.id), { ...row, open_to: Number(row.open_to), set })
    }
  }
  return [...found.values()]
}

function takeOf(isOneOfThem: (db: TaskDialect) => string): (db: TaskDialect, ceiling: string) => string {
  const made = new Map<string, (db: TaskDialect) => string>()
  return (db, ceiling) => {
    let text = made.get(ceiling)
    if (text === undefined) {
      text = perDialect(
        (of) => `select ${TASK_COLUMNS} from tasks t
          where ${isOneOfThem(of)} and (+t.open_to = 0 or +t.open_to = ?) and ${MAY_TAKE} and ${ceiling}
          order by t.priority desc, t.open_to desc, t.id limit 1${of.lockFree}`,
      )
      made.set(ceiling, text)
    }
    return text(db)
  }
}
const TAKE_BEST = takeOf((db) => db.inKeys('t.id'))
const TAKE_ONLY = takeOf(() => 't.id = ?')

/**
 * Locks the first of these that nobody holds and that is still to be had. The plus keeps SQLite from walking all open tasks
 * for a few keys.
 */
function* take(db: TaskDialect, agent: AgentRow, now: number, keys: number[]): Program<TaskRow | undefined> {
  const only = keys.length === 1 ? keys[0] : undefined
  const ceiling = belowCeiling(agent.maxPermissionMode)
  const text = (only === undefined ? TAKE_BEST : TAKE_ONLY)(db, ceiling)
  const found = yield* first<object>(text, only ?? db.keyList(keys), agent.key, now, agent.key, agent.key)
  return found && TASK.read(found)
}
