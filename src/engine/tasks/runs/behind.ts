import { chooseCli } from '../../../domain/task/agent-choice'
import { limitInTheWay, NO_LIMITS, RunningCounts } from '../../../domain/task/placement'
import type { AgentRow, TaskRow } from '../../../domain/task/task-store'
import { AWAY_AFTER_MS, lacking } from '../../unit/agent-presence'
import type { Unit } from '../../unit/unit'

/** Behind what a task is queued that could begin otherwise, for a person; `null` = nothing but the tasks before it. */
export async function behindWhat(unit: Unit, task: TaskRow): Promise<string | null> {
  const isOpen = task.status === 'unassigned' || (task.status === 'pending' && task.waitingFor === null)
  if (!isOpen || (task.notBefore !== null && task.notBefore > unit.now)) return null
  const limits = unit.spawnLimits?.running ?? NO_LIMITS
  const counts = new RunningCounts(await unit.tasks.running())
  const limit = limitInTheWay({ share: task.share, agentCli: task.neededClis[0] ?? null }, counts, limits)
  if (limit !== null) return limit
  const workers = (await unit.tasks.workersHeard(unit.now - AWAY_AFTER_MS)).filter(
    (agent) => (task.agentKey === null || task.agentKey === agent.key) && lacking(agent, task).length === 0,
  )
  if (workers.length === 0) return null
  const taking = workers.filter(({ drainingSince }) => drainingSince === null)
  if (taking.length === 0) return `${namesOf(workers)} could run it and takes no new tasks`
  const ends = taking.map((agent) => limitedUntil(agent, task, unit.now))
  const isFree = ends.some((end) => end === null)
  if (isFree) return null
  const first = new Date(Math.min(...ends.map((end) => end ?? 0))).toISOString()
  const accounts = [...new Set(taking.flatMap(({ account }) => (account === null ? [] : [account])))]
  const whose = accounts.length === 1 ? `the usage limit of ${accounts[0]}` : `a usage limit on ${namesOf(taking)}`
  return `${whose}, until ${first}`
}

/** When the limit ends that keeps an agent from the task; `null` = none does. */
function limitedUntil(agent: AgentRow, task: TaskRow, now: number): number | null {
  if (agent.limitedUntil !== null && agent.limitedUntil > now) return agent.limitedUntil
  if (chooseCli(task.neededClis, agent, now) !== undefined) return null
  const ends = Object.values(agent.cliLimits).filter((end) => end > now)
  return ends.length === 0 ? null : Math.min(...ends)
}

/** Names that fit a line. */
function namesOf(agents: readonly AgentRow[]): string {
  const [first, second, ...more] = agents.map(({ name }) => name)
  return more.length > 0 ? `${first}, ${second} and ${more.length} more` : [first, second].filter(Boolean).join(' and ')
}
