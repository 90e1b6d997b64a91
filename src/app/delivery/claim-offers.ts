import { type Address, address } from '../../domain/ids'
import { addressKind, type Message } from '../../domain/message/message'
import type { MessageService } from '../../engine/messages/message-service'
import { withMethods } from '../write-methods'
import { messageOffers } from './message-offers'

/**
 * A call takes messages of a conversation while a hook may be delivering one of them; the database learns of that only
 * later. The holder of the offer's file delivers the message, so a message that a hook holds is left out of the call's answer.
 *
 * @param home  Lodeline's folder
 */
export function withClaimedOffers(home: string, messages: MessageService): MessageService {
  const offers = messageOffers(home)
  const isOurs = (at: Address, call: string, { id }: Message, newest: ReturnType<typeof offers.at>): boolean => {
    const before = newest.get(id)
    if (before?.by === call) return true
    if (before !== undefined && !before.isTakenIn && !before.isGone()) return false
    const number = (before?.number ?? 0) + 1
    if (!offers.take({ route: 'await', by: call, at, message: id, transcript: null, size: 0 }, number)) return false
    offers.setTakenIn({ at, message: id, number })
    return true
  }
  return withMethods(messages, {
    async take(caller, of, call, limit) {
      const taken = await messages.take(caller, of, call, limit)
      const [first] = taken
      if (first === undefined || addressKind(first.to) !== 'session') return taken
      const at = address(first.to)
      const newest = offers.at(at)
      return taken.filter((message) => isOurs(at, call, message, newest))
    },
  })
}
