/** Sums of sessions and tasks, each by itself; a caller that adds up several takes each once. */
import { sql } from 'kysely'
import { UNKNOWN_COST } from '../../../domain/cost/price'
import type { AgentName } from '../../../domain/ids'
import { readSessionTotals } from '../../session/reads/usage-totals'
import type { ReadContext } from '../../sql/read-context'
import { countUnseen } from '../../unseen-agents'
import { type ForestTask, withBelow } from '../forest'
import { type LiveSession, readLive } from '../live'
import type { Look } from '../look'
import { sessionsSince } from './span-sums'
import { addSum, addUsage, newSum, type Sum } from './sums'

/** The same by what is kept of each session: by the prices of the last count, as sums of whole projects are. */
export async function readKeptSums(
  context: ReadContext,
  keys: readonly number[],
  live: ReadonlyMap<number, LiveSession>,
  look: Look,
): Promise<Map<number, Sum>> {
  if (keys.length === 0) return new Map()
  const { rows } = await sql<{
    key: number
    agent: AgentName
    at: number | null
    tokens: number
    cost: number | null
    estimate: number
  }>`
    select s.id as key, s.agent, s.last_event_at as at, s.token_count as tokens, s.cost_usd as cost, s.is_cost_estimate as estimate
      from sessions s where ${context.capabilities.inKeys(sql.ref<number>('s.id'), keys)}
  `.execute(context.db)
  const unseen = await countUnseen(context, keys)
  return new Map(
    rows.map(({ key, agent, at, tokens, cost, estimate }) => {
      const sum: Sum = { ...newSum(), lastEventAt: at ?? 0, unknownAgents: unseen.get(key) ?? 0 }
      if (isCounted(agent, look)) {
        sum.tokens = tokens
        sum.cost = cost === null ? UNKNOWN_COST : { costUsd: cost, isEstimate: estimate > 0 }
      }
      addLive(sum, live.get(key))
      sum.needs += look.sessions.get(key)?.count ?? 0
      return [key, sum]
    }),
  )
}

/** Sessions with all their agents. */
export async function readSessionSums(
  context: ReadContext,
  keys: readonly number[],
  live: ReadonlyMap<number, LiveSession>,
  look: Look,
): Promise<Map<number, Sum>> {
  const sums = new Map(keys.map((key) => [key, newSum()]))
  if (keys.length === 0) return sums
  const { rows } = await sql<{ key: number; agent: AgentName; at: number | null }>`
    select s.id as key, s.agent, s.last_event_at as at from sessions s where ${context.capabilities.inKeys(sql.ref<number>('s.id'), keys)}
  `.execute(context.db)
  for (const { key, at } of rows) {
    const sum = sums.get(key)
    if (sum !== undefined) sum.lastEventAt = at ?? 0
  }
  const counted = rows.flatMap(({ key, agent }) => (isCounted(agent, look) ? [key] : []))
  const used =
    look.since === undefined
      ? await readSessionTotals(context, counted)
      : await sessionsSince(context, counted, look.since)
  for (const row of used) {
    const sum = sums.get(row.session_id)
    if (sum !== undefined) addUsage(sum, row, context.costOf)
  }
  for (const [key, count] of await countUnseen(context, keys)) {
    const sum = sums.get(key)
    if (sum !== undefined) sum.unknownAgents = count
  }
  for (const [key, sum] of sums) {
    addLive(sum, live.get(key))
    sum.needs += look.sessions.get(key)?.count ?? 0
  }
  return sums
}

/** Whether tokens and costs of a session are asked for. */
const isCounted = (of: AgentName, { agent }: Look): boolean => agent === undefined || of === agent

export function addLive(sum: Sum, session: LiveSession | undefined): void {
  if (session === undefined) return
  sum.running += session.running + (session.status === 'running' ? 1 : 0)
  sum.blocked += session.status === 'waiting' ? 1 : 0
}

/** A task and the tasks below it, without their sessions. */
export function sumTasks(root: ForestTask, live: ReadonlyMap<number, LiveSession>, look: Look): Sum {
  const sum = newSum()
  for (const task of withBelow(root)) {
    sum.blocked += task.isWaiting ? 1 : 0
    sum.needs += look.tasks.get(task.id) ?? 0
    sum.lastEventAt = Math.max(sum.lastEventAt, task.updatedAt)
    // An attempt and the session that it drives are one agent at work; it waits while it has a question open.
    if (task.hasQuestion) continue
    for (const session of task.live) if (session === null || live.get(session)?.status !== 'running') sum.running++
  }
  return sum
}

/** A task with everything below it. */
export async function readTaskSums(
  context: ReadContext,
  tasks: readonly ForestTask[],
  sessionsOf: (task: ForestTask) => ReadonlySet<number>,
  look: Look,
): Promise<Map<number, Sum>> {
  const keys = [...new Set(tasks.flatMap((task) => [...sessionsOf(task)]))]
  const live = keys.length === 0 ? new Map<number, LiveSession>() : await readLive(context, { keys }, look)
  const sessions = await readSessionSums(context, keys, live, look)
  return new Map(
    tasks.map((task) => {
      const sum = sumTasks(task, live, look)
      for (const key of sessionsOf(task)) addSum(sum, sessions.get(key) ?? newSum())
      return [task.key, sum]
    }),
  )
}
