import { address, type SessionId } from '../../domain/ids'
import type { MessageSender } from '../../domain/message/message'
import { getAgent } from '../unit/find-task'
import { leaseLost } from '../unit/rights'
import type { Unit } from '../unit/unit'
import { addressOf, ownAddress } from './address'

/** The author of a message, by the caller's token. @throws `lease_lost` the calling run is over */
export async function senderOf(
  unit: Unit,
  { sessionId }: { sessionId?: SessionId | undefined },
): Promise<MessageSender> {
  const { caller } = unit
  if (caller.kind === 'attempt') {
    const [task, attempt] = [await unit.tasks.task(caller.taskId), await unit.tasks.attempt(caller.attemptId)]
    if (attempt === undefined || attempt.endedAt !== null) throw leaseLost(`Attempt ${caller.attemptId} is over`)
    return { kind: 'task', address: address(caller.taskId), name: (task?.title ?? '').slice(0, 300) }
  }
  if (caller.kind === 'agent') {
    const agent = await getAgent(unit, caller.agentId)
    return { kind: 'agent', address: ownAddress(caller), name: agent.name }
  }
  if (caller.kind !== 'system' && caller.user !== undefined)
    return { kind: 'person', address: null, name: caller.user.name }
  if (sessionId === undefined) return { kind: 'person', address: null, name: 'a person' }
  const at = await addressOf(unit, sessionId)
  return { kind: 'session', address: at, name: `session ${at}` }
}
