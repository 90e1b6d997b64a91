import type { Address, AgentName, MessageId } from '../ids'
import type { MessageRoute } from './message'
import type { ShownMessage } from './message-text'

/** A message that waits, or flies already. */
export interface WaitingMessage extends ShownMessage {
  status: 'produced' | 'queued'
}

export interface WaitingMail {
  at: Address
  /** Oldest first, at most 50. */
  messages: WaitingMessage[]
  /** A call waits at the address: it gets them. */
  isAwaited: boolean
  hasMore: boolean
}

/** Routes by which hooks give messages. */
export const OFFER_ROUTES = ['hook', 'rewake'] as const satisfies readonly MessageRoute[]
export type OfferRoute = (typeof OFFER_ROUTES)[number]

/** What a hook asks a server for. */
export interface HookAsking extends OfferPlace {
  route: OfferRoute
  /** `<pid>@<start>` of the CLI. */
  cli: string
  /** Characters that it can say. */
  room: number
  /** Nothing, unless one of them is worth a turn. */
  onlyWaking: boolean
}

/** Where a line would be seen that carries what was offered: behind this many bytes of the receiver's transcript. */
export interface OfferPlace {
  /** The agent CLI that writes the transcript; left out: the one that is asked where nothing names one. */
  agent?: AgentName | undefined
  /** On the machine of the CLI's process; `null` = not known. */
  transcript: string | null
  size: number
}

/** A message and where it would be seen. */
export type Offered = OfferPlace & { message: MessageId }

/** Which process has given a message to a conversation on this machine, and how to see whether it arrived. */
export interface Offer extends Offered {
  route: MessageRoute
  /** What carries it: `<pid>@<start>` of the CLI, or a call's name. */
  by: string
  at: Address
}

/** What is seen of the newest offer of a message. */
export interface OfferState {
  /** The database has it: what it says of the message is newer than the offer. */
  isTakenIn: boolean
  /** The transcript carries the message's marker since. */
  hasLanded(): boolean
  /** Its process is no more. */
  isGone(): boolean
}

/**
 * Which of the messages may be offered now: none while one of the address is on its way, so that they come in their order and
 * each once. What comes back is decided in the database; where no server writes there, the offer of a dead process counts for nothing.
 *
 * @param newest  the newest offer of a message; `undefined` = there was none
 */
export function offerable(
  mail: Pick<WaitingMail, 'messages' | 'isAwaited'>,
  newest: (id: MessageId) => OfferState | undefined,
): WaitingMessage[] {
  if (mail.isAwaited) return []
  const free: WaitingMessage[] = []
  for (const message of mail.messages) {
    const offer = newest(message.id)
    if (message.status === 'queued') {
      // Only the record is behind.
      if (offer?.hasLanded() === true) continue
      return []
    }
    if (offer === undefined || offer.isTakenIn) free.push(message)
    else if (offer.hasLanded()) continue
    else if (offer.isGone()) free.push(message)
    else return []
  }
  return free
}
