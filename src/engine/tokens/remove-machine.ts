import { AppError } from '../../domain/errors'
import { recordAct } from '../audit/record-act'
import { machineNamed } from '../tasks/runs/drain-machine'
import { sendElsewhere } from '../tasks/runs/join-agent'
import { isOnline } from '../unit/agent-presence'
import { endEnrollment } from './enroll-worker'
import { mayGiveAccess, type TokenUnit } from './token-unit'

/**
 * Takes a machine out of the fleet: its access ends, and its tasks go to others. Its past stays. Under the same name it may be added again.
 *
 * @throws `forbidden` · `not_found` · `conflict` it is at work with the operator's token, with which it would come back
 */
export async function removeMachine(unit: TokenUnit, name: string): Promise<void> {
  await mayGiveAccess(unit)
  const agent = await machineNamed(unit, name)
  const enrollment = await unit.tokens.enrollment(name)
  if (enrollment === undefined && isOnline(agent, unit.now))
    throw new AppError('conflict', `${name} is at work with the operator's token, so it would join again.`, {
      hint: 'Stop its worker first.',
    })
  if (enrollment !== undefined) await endEnrollment(unit, enrollment)
  await unit.tasks.updateAgent(agent.key, {
    removedAt: unit.now,
    drainingSince: null,
    tokenHash: null,
    bootId: null,
    hostKeyHash: null,
  })
  await sendElsewhere(unit, agent, `${name} was removed`)
  await unit.feed('agent.updated', { agentId: agent.id, what: 'removed' })
  await recordAct(unit, 'machine.remove', { target: name })
}
