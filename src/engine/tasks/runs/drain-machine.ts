import { AppError } from '../../../domain/errors'
import type { AgentRow } from '../../../domain/task/task-store'
import { quoted } from '../../unit/find-task'
import { nameOf, type Unit } from '../../unit/unit'
import { sendElsewhere } from './join-agent'

/** The worker of a machine, by its name. @throws `not_found` */
export async function machineNamed(unit: Pick<Unit, 'tasks'>, name: string): Promise<AgentRow> {
  const agent = await unit.tasks.agentByName(name)
  if (agent?.kind === 'worker' && agent.hostName !== null && agent.removedAt === null) return agent
  throw new AppError('not_found', `There is no machine ${quoted(name)}.`, {
    hint: "Run 'lode machine list' to see all machines.",
  })
}

/**
 * The machine takes nothing new; what it runs goes on to its end. Tasks that we had chosen it for go to others; those that a person assigned
 * to it wait. Again: nothing changes.
 *
 * @throws `not_found`
 */
export async function drainMachine(unit: Unit, name: string): Promise<AgentRow> {
  const agent = await machineNamed(unit, name)
  if (agent.drainingSince !== null) return agent
  await unit.tasks.updateAgent(agent.key, { drainingSince: unit.now })
  await unit.feed('agent.updated', { agentId: agent.id, what: 'draining', by: nameOf(unit.caller) })
  await sendElsewhere(unit, agent, `${agent.name} takes no new tasks`)
  return { ...agent, drainingSince: unit.now }
}

/** It takes tasks again. @throws `not_found` */
export async function resumeMachine(unit: Unit, name: string): Promise<AgentRow> {
  const agent = await machineNamed(unit, name)
  if (agent.drainingSince === null) return agent
  await unit.tasks.updateAgent(agent.key, { drainingSince: null })
  await unit.feed('agent.updated', { agentId: agent.id, what: 'resumed', by: nameOf(unit.caller) })
  return { ...agent, drainingSince: null }
}
