import { chooseCli } from '../../../domain/task/agent-choice'
import { exceedsMode, highestMode } from '../../../domain/task/permission-mode'
import { limitInTheWay, NO_LIMITS, RunningCounts } from '../../../domain/task/placement/placement'
import { type WhyNobody, whyNobodyInWords, whyNoneHas } from '../../../domain/task/placement/why-nobody'
import type { AgentRow, TaskRow } from '../../../domain/task/task-store'
import { AWAY_AFTER_MS, lacking, needsOf } from '../../unit/agent-presence'
import type { Unit } from '../../unit/unit'

/** Workers that are asked for a folder: each is a question to the database. */
const MOST_ASKED = 20

/** Why a task waits that could begin otherwise, for a person; `null` = only for the tasks before it. */
export async function behindWhat(unit: Unit, task: TaskRow): Promise<string | null> {
  const isOpen = task.status === 'unassigned' || (task.status === 'pending' && task.waitingFor === null)
  if (!isOpen || (task.notBefore !== null && task.notBefore > unit.now)) return null
  const limits = unit.spawnLimits?.running ?? NO_LIMITS
  const counts = new RunningCounts(await unit.tasks.running())
  const limit = limitInTheWay({ share: task.share, agentCli: task.neededClis[0] ?? null }, counts, limits)
  if (limit !== null) return limit
  const heard = await unit.tasks.workersHeard(unit.now - AWAY_AFTER_MS)
  const meant = heard.filter(({ key }) => task.agentKey === null || task.agentKey === key)
  const only = task.agentKey === null ? undefined : (meant[0] ?? (await unit.tasks.agentByKey(task.agentKey)))
  const found = await whyNobody(unit, task, meant, only)
  if (found === null) return null
  return whyNobodyInWords(found.why, { only: only?.name ?? null, names: found.of.map(({ name }) => name) })
}

/** @param meant  those that are online and may be asked. @returns also which of them it is said of; `null` = one may take it */
async function whyNobody(
  unit: Unit,
  task: TaskRow,
  meant: readonly AgentRow[],
  only: AgentRow | undefined,
): Promise<{ why: WhyNobody; of: readonly AgentRow[] } | null> {
  if (meant.length === 0) return { why: { is: 'away', heardAt: only?.lastSeenAt }, of: [] }
  const lacks = meant.map((agent) => lacking(agent, task))
  const none = whyNoneHas(needsOf(task), lacks)
  if (none !== null) return { why: none, of: meant }
  const workers = meant.filter((_, at) => lacks[at]?.length === 0)
  const { permissionMode: mode, dir } = task
  const allowed = workers.filter(
    ({ maxPermissionMode: most }) => mode === null || most === null || !exceedsMode(mode, most),
  )
  if (mode !== null && allowed.length === 0)
    return {
      why: { is: 'above', mode, highest: highestMode(workers.flatMap(({ maxPermissionMode: most }) => most ?? [])) },
      of: workers,
    }
  if (dir !== null && !(await runIn(unit, allowed, dir))) return { why: { is: 'outside', dir }, of: allowed }
  const taking = allowed.filter(({ drainingSince }) => drainingSince === null)
  if (taking.length === 0) return { why: { is: 'draining' }, of: allowed }
  const ends = taking.map((agent) => limitedUntil(agent, task, unit.now))
  if (ends.some((end) => end === null)) return null
  const accounts = [...new Set(taking.flatMap(({ account }) => (account === null ? [] : [account])))]
  const until = Math.min(...ends.map((end) => end ?? 0))
  return { why: { is: 'limited', account: (accounts.length === 1 && accounts[0]) || null, until }, of: taking }
}

/** Whether one of the workers runs tasks in the folder, or there are too many to ask all. */
async function runIn(unit: Unit, workers: readonly AgentRow[], dir: string): Promise<boolean> {
  if (workers.length > MOST_ASKED) return true
  for (const { key } of workers) if (await unit.tasks.runsIn(key, dir)) return true
  return false
}

/** When the limit ends that keeps an agent from the task; `null` = none does. */
function limitedUntil(agent: AgentRow, task: TaskRow, now: number): number | null {
  if (agent.limitedUntil !== null && agent.limitedUntil > now) return agent.limitedUntil
  if (chooseCli(task.neededClis, agent, now) !== undefined) return null
  const ends = Object.values(agent.cliLimits).filter((end) => end > now)
  return ends.length === 0 ? null : Math.min(...ends)
}
