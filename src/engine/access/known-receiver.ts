import { address } from '../../domain/ids'
import type { Asking, Related } from './asking'
import { standsToTask } from './task-relations'

/**
 * A run may write to the tasks of its tree, to those who made them or get its result, and to who wrote to it: nobody else agreed to read
 * what it says.
 */
export async function isKnownReceiver(asking: Asking, caller: Related, to: string): Promise<boolean> {
  if (caller.kind !== 'attempt') return false
  const { tasks, messages } = asking
  if (to.startsWith('t-') && (await standsToTask('family', asking, caller, to))) return true
  const receiver = await messages.addressOf(to)
  const own = await messages.addressOf(caller.taskId)
  if (await messages.hasWritten(receiver, own)) return true
  for (const id of await tasks.above(caller.taskId)) {
    const above = await tasks.kinOf(id)
    if (above === undefined) continue
    if (above.creatorId === to || (await messages.addressOf(id)) === receiver) return true
    if (above.replyTo !== null && (await messages.addressOf(above.replyTo)) === receiver) return true
  }
  return own !== address(caller.taskId) && (await messages.hasWritten(receiver, address(caller.taskId)))
}
