import { chooseCli } from '../../../domain/task/agent-choice'
import { exceedsMode, raiseCeilingHint } from '../../../domain/task/permission-mode'
import { limitInTheWay, NO_LIMITS, RunningCounts } from '../../../domain/task/placement'
import type { AgentRow, TaskRow } from '../../../domain/task/task-store'
import { AWAY_AFTER_MS, lacking } from '../../unit/agent-presence'
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
  if (meant.length === 0) return task.agentKey === null ? 'no worker is online' : 'its worker is offline'
  const workers = meant.filter((agent) => lacking(agent, task).length === 0)
  const nobody = (does: string, doesNot: string): string =>
    task.agentKey === null ? `no online worker ${does}` : `${namesOf(meant)} ${doesNot}`
  if (workers.length === 0) {
    const [first = [], ...others] = meant.map((agent) => lacking(agent, task))
    const missing = first.filter((need) => others.every((lacks) => lacks.includes(need))).join(', ')
    return missing === '' ? 'no online worker has all that it needs' : nobody(`has ${missing}`, `lacks ${missing}`)
  }
  const { permissionMode: mode, dir } = task
  const allowed = workers.filter(
    ({ maxPermissionMode: most }) => mode === null || most === null || !exceedsMode(mode, most),
  )
  if (mode !== null && allowed.length === 0)
    return `${nobody('may', 'may not')} run tasks with ${mode}. ${raiseCeilingHint(mode)}`
  if (dir !== null && !(await runIn(unit, allowed, dir)))
    return `${nobody('that may run it does so', 'does not run tasks')} in ${dir}. To let one do so, add the folder with 'lode config set worker.dirs' on its machine.`
  const taking = allowed.filter(({ drainingSince }) => drainingSince === null)
  if (taking.length === 0) return `${namesOf(allowed)} could run it and takes no new tasks`
  const ends = taking.map((agent) => limitedUntil(agent, task, unit.now))
  const isFree = ends.some((end) => end === null)
  if (isFree) return null
  const first = new Date(Math.min(...ends.map((end) => end ?? 0))).toISOString()
  const accounts = [...new Set(taking.flatMap(({ account }) => (account === null ? [] : [account])))]
  const whose = accounts.length === 1 ? `the usage limit of ${accounts[0]}` : `a usage limit on ${namesOf(taking)}`
  return `${whose}, until ${first}`
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

/** Names that fit a line. */
function namesOf(agents: readonly AgentRow[]): string {
  const [first, second, ...more] = agents.map(({ name }) => name)
  return more.length > 0 ? `${first}, ${second} and ${more.length} more` : [first, second].filter(Boolean).join(' and ')
}
