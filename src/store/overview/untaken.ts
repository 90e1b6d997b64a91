import { type RawBuilder, sql } from 'kysely'
import { type AgentId, type AgentName, agentId, type TaskKey, taskKey } from '../../domain/ids'
import type { MachineFacts } from '../../domain/machine/machine'
import { meets } from '../../domain/machine/needs'
import type { UntakenTasks } from '../../domain/overview/overview-store'
import { chooseCli, type InstalledCli } from '../../domain/task/agent-choice'
import { exceedsMode, highestMode } from '../../domain/task/permission-mode'
import { DEFAULT_LEASE_MS } from '../../domain/task/worker-protocol'
import type { ReadContext } from '../sql/read-context'
import { outsideOf } from '../tasks/agent-dirs'
import { ALL_SETS, isCapable, type OpenSet } from '../tasks/capability-sets'
import { belowCeiling } from '../tasks/writes/claim'
import { tasksByKey } from './tasks'

/** Sets that are looked at. The scan takes one look-up for each: more agents and sets than that wait nowhere. */
const MOST_SETS = 1_000
/** Groups that are reported. */
const MOST_GROUPS = 64
/** Tasks that are looked at, of all groups together. */
const MOST_TASKS = 1_024
/** Agents that were heard of, the newest first. */
const MOST_AGENTS = 500

/** The pool's `open_to`. */
const POOL = 0

/**
 * @see OverviewReads.untaken
 *
 * By the claim's own rules (`tasks/writes/claim.ts`), but for three: who rejected all of a group counts as able, as does who met a usage
 * limit and a worker that takes only what it is given (`lode run`), which no row tells.
 */
export async function untakenTasks(
  context: ReadContext,
  now: number,
  told: readonly TaskKey[],
): Promise<UntakenTasks[]> {
  const sets = await openSets(context)
  if (sets.length === 0) return []
  const agents = await agentsOf(context, sets, now)
  const online = agents.filter(({ isOnline }) => isOnline)
  const left = sets.filter((set) => !online.some((agent) => mayTake(agent, set, now)))
  const looked = [...left, ...sets.flatMap((set) => [...cappedOf(set, online, now), ...outsideAll(set, online, now)])]
  const groups = await countsOf(context, looked.slice(0, MOST_GROUPS), now, told)
  const firsts = await tasksByKey(
    context,
    groups.map(({ first }) => first),
  )
  return groups.flatMap(({ set, first: key, mode, dir, ...counts }): UntakenTasks[] => {
    const first = firsts.find((task) => task.key === key)
    const agent = set.open_to === POOL ? undefined : agents.find((one) => one.key === set.open_to)
    // Taken between two looks: the next one tells what is left.
    if (first === undefined || (first.status !== 'unassigned' && first.status !== 'pending')) return []
    const requiredCapabilities = JSON.parse(set.capabilities) as string[]
    const neededClis = JSON.parse(set.clis) as AgentName[]
    const asked = agent === undefined ? online : [agent]
    const draining = agents.flatMap((one) =>
      agent === undefined && one.isDraining && one.isHeard && mayTake(one, set, now) ? [one.name] : [],
    )
    const isLacked = (needed: string): boolean => !asked.some((one) => meets(one, needed))
    return [
      {
        ...counts,
        agent:
          agent === undefined
            ? null
            : {
                id: agent.id,
                name: agent.name,
                isOnline: agent.isOnline,
                heardAt: agent.heardAt,
                ...(agent.isDraining && { isDraining: true as const }),
              },
        requiredCapabilities,
        missing: requiredCapabilities.filter(isLacked),
        neededClis,
        lacksClis:
          asked.length > 0 && asked.every((one) => chooseCli(neededClis, { ...one, cliLimits: {} }, now) === undefined),
        isAnyoneOnline: online.length > 0,
        ...(draining.length > 0 && { draining }),
        ceiling: set.ceiling === undefined || mode === null ? null : { needed: mode, highest: set.ceiling },
        outside: set.dirsOf === undefined ? null : dir,
        // They come newest first.
        heardAt:
          set.dirsOf !== undefined
            ? null
            : (agents.find((one) => mayTake(one, set, now) && mayRun(one, mode))?.heardAt ?? null),
        first,
      },
    ]
  })
}

async function openSets({ db }: ReadContext): Promise<OpenSet[]> {
  const { rows } = await sql<OpenSet>`with recursive ${sql.raw(ALL_SETS)}
    select s.open_to, s.capability_set, c.capabilities, c.clis
      from (select * from open_sets where capability_set is not null limit ${sql.lit(MOST_SETS)}) as s
      join capability_sets c on c.id = s.capability_set order by s.open_to, s.capability_set`.execute(db)
  return rows.map((row) => ({ ...row, open_to: Number(row.open_to), capability_set: Number(row.capability_set) }))
}

/** What is known of an agent. */
interface Agent {
  key: number
  id: AgentId
  name: string
  capabilities: string[]
  machine: MachineFacts | null
  clis: InstalledCli[] | null
  fallsOver: boolean
  /** `null` = it does not say. */
  ceiling: string | null
  /** Whether it runs tasks in some folders only. */
  hasDirs: boolean
  /** A process speaks for it. */
  isHeard: boolean
  /** And it does not drain. */
  isOnline: boolean
  isDraining: boolean
  heardAt: number | null
}

const mayTake = (agent: Agent, set: OpenSet, now: number): boolean =>
  (set.open_to === POOL || set.open_to === agent.key) && isCapable({ ...agent, cliLimits: {} }, set, now)

/** Whether its ceiling lets it. */
const mayRun = ({ ceiling }: Agent, mode: string | null): boolean =>
  mode === null || ceiling === null || !exceedsMode(mode, ceiling)

/**
 * Tasks with one set of capabilities; with `ceiling` those alone whose permission mode is above it, with `dirsOf` those alone in no folder
 * of these agents.
 */
type LookedAt = OpenSet & { ceiling?: string; dirsOf?: number[] }

/** For a set that some online agent has all of: what is above the highest ceiling of them. */
function cappedOf(set: OpenSet, online: readonly Agent[], now: number): LookedAt[] {
  const able = online.filter((agent) => mayTake(agent, set, now))
  const ceilings = able.flatMap(({ ceiling }) => ceiling ?? [])
  // One that does not say may take all.
  if (able.length === 0 || ceilings.length < able.length) return []
  const ceiling = highestMode(ceilings)
  return ceiling === null ? [] : [{ ...set, ceiling }]
}

/** For a set that some online agent has all of: what is in no folder of any of them. Each must have folders, or that one takes all. */
function outsideAll(set: OpenSet, online: readonly Agent[], now: number): LookedAt[] {
  const able = online.filter((agent) => mayTake(agent, set, now))
  return able.length > 0 && able.every(({ hasDirs }) => hasDirs) ? [{ ...set, dirsOf: able.map(({ key }) => key) }] : []
}

interface AgentRow {
  id: number
  public_id: string
  name: string
  capabilities: string
  clis: string | null
  falls_over: number
  boot_id: string | null
  last_seen_at: number | null
  max_permission_mode: string | null
  machine: string | null
  draining_since: number | null
  dir_count: number
}

/** Those that were heard of, the newest first, and those that tasks are open to. One that no process speaks for is never online. */
async function agentsOf({ db, capabilities }: ReadContext, sets: readonly OpenSet[], now: number): Promise<Agent[]> {
  const named = [...new Set(sets.map(({ open_to }) => open_to))].filter((key) => key !== POOL)
  const columns = sql.raw(
    `g.id, g.public_id, g.name, g.capabilities, g.clis, g.falls_over, g.boot_id, g.last_seen_at, g.max_permission_mode,
      g.machine, g.draining_since,
      (select count(*) from agent_dirs d where d.agent_id = g.id) as dir_count`,
  )
  const { rows } = await sql<AgentRow>`
    select ${columns} from (select * from agents where last_seen_at is not null
                             order by last_seen_at desc limit ${sql.lit(MOST_AGENTS)}) as g
    union select ${columns} from agents g where ${capabilities.inKeys(sql.ref<number>('g.id'), named)}`.execute(db)
  return rows
    .map((row): Agent => {
      const heardAt = row.last_seen_at === null ? null : Number(row.last_seen_at)
      const isHeard = row.boot_id !== null && heardAt !== null && now - heardAt <= DEFAULT_LEASE_MS
      return {
        key: Number(row.id),
        id: agentId(row.public_id),
        name: row.name,
        capabilities: JSON.parse(row.capabilities) as string[],
        clis: row.clis === null ? null : (JSON.parse(row.clis) as InstalledCli[]),
        machine: row.machine === null ? null : (JSON.parse(row.machine) as MachineFacts),
        fallsOver: Number(row.falls_over) === 1,
        ceiling: row.max_permission_mode,
        hasDirs: Number(row.dir_count) > 0,
        isDraining: row.draining_since !== null,
        isHeard,
        isOnline: isHeard && row.draining_since === null,
        heardAt,
      }
    })
    .sort((a, b) => (b.heardAt ?? 0) - (a.heardAt ?? 0))
}

interface Counted {
  set: LookedAt
  /** The permission mode of the first, of a set with a ceiling. */
  mode: string | null
  /** The folder of the first, of a set of those in no folder of somebody's. */
  dir: string | null
  count: number
  isMore: boolean
  openSince: number
  first: TaskKey
}

/** How many each has, since when, and its first; without those that need no report. One statement. */
async function countsOf(
  { db, capabilities }: ReadContext,
  sets: readonly LookedAt[],
  now: number,
  told: readonly TaskKey[],
): Promise<Counted[]> {
  if (sets.length === 0) return []
  // A power of two: few different statements are compiled.
  const each = MOST_TASKS / 2 ** Math.ceil(Math.log2(sets.length))
  const isUntold = told.length === 0 ? sql`` : sql`and not (${capabilities.inKeys(sql.ref<number>('t.id'), told)})`
  const queue = ({ open_to, capability_set }: OpenSet, columns: string, limit: number): RawBuilder<unknown> =>
    sql`select ${sql.raw(columns)} from tasks t
      where t.open_to = ${open_to} and t.capability_set = ${capability_set}
        and (t.not_before is null or t.not_before <= ${now}) ${isUntold}
      order by t.priority desc, t.id limit ${sql.lit(limit)}`
  // Among those that are looked at, what is above the ceiling or in no folder: it stays at the head of the queue, and the rest of that is
  // not searched.
  const kept = ({ ceiling, dirsOf }: LookedAt): string | null => {
    if (ceiling !== undefined) return `not ${belowCeiling(ceiling)}`
    return dirsOf === undefined ? null : outsideOf(`d.agent_id in (${dirsOf.join(', ')})`)
  }
  const tasks = (set: LookedAt, columns: string, limit: number): RawBuilder<unknown> => {
    const condition = kept(set)
    return condition === null
      ? queue(set, columns, limit)
      : sql`select ${sql.raw(columns)} from (${queue(set, CAPPED, each + 1)}) as t
          where ${sql.raw(condition)} order by t.priority desc, t.id limit ${sql.lit(limit)}`
  }
  const parts = sets.map(
    (set, at) => sql`select ${sql.lit(at)} as at, count(*) as count, min(g.open_since) as open_since,
        (${tasks(set, 't.id', 1)}) as first,
        ${set.ceiling === undefined ? sql`cast(null as text)` : sql`(${tasks(set, 't.permission_mode', 1)})`} as mode,
        ${set.dirsOf === undefined ? sql`cast(null as text)` : sql`(${tasks(set, 't.dir', 1)})`} as dir
      from (${tasks(set, OPEN_SINCE, each + 1)}) as g`,
  )
  const { rows } = await sql<{
    at: number
    count: number
    open_since: number | null
    first: number | null
    mode: string | null
    dir: string | null
  }>`
    ${sql.join(parts, sql` union all `)}`.execute(db)
  return rows.flatMap(({ at, count, open_since, first, mode, dir }) => {
    const set = sets[Number(at)]
    if (set === undefined || open_since === null || first === null) return []
    const found = Number(count)
    const openSince = Number(open_since)
    return [
      { set, mode, dir, count: Math.min(found, each), isMore: found > each, openSince, first: taskKey(Number(first)) },
    ]
  })
}

const CAPPED = 't.id, t.priority, t.permission_mode, t.dir, t.not_before, t.updated_at'
const OPEN_SINCE = 'case when t.not_before > t.updated_at then t.not_before else t.updated_at end as open_since'
