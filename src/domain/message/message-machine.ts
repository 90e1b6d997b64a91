import type { MessageRoute, MessageStatus } from './message'
import type { OfferPlace } from './message-offer'

/**
 * Every way in which a message's status changes. `movedMessage` decides, `engine/mail/move-message.ts` writes.
 *
 *   produced ──queue──▶ queued ──deliver──▶ delivered ──consume──▶ consumed
 *      ▲  │                │ ╲                  │
 *      │  │                │  └────consume──────┼──────────▶ consumed
 *      │  └─supersede      └──return──▶         └──lapse──▶ produced (its line was lost to a compaction, or stands on a dead branch)
 *      └───────────────────────┘
 *
 * Evidence may run ahead of us: a line that carries the message delivers it whatever we thought of its flight. Nothing leaves
 * `consumed`: that is what makes a result come once.
 */
export type MessageMove =
  /** Given to a route; nothing else may offer it now. `target` names the flight: an attempt, a tool call, a process. */
  | { kind: 'queue'; route: MessageRoute; target: string; offer?: OfferPlace }
  /** A line of the receiver's transcript carries it. */
  | { kind: 'deliver'; evidence: string }
  /** A line of the model follows it, or a client said so. */
  | { kind: 'consume'; evidence: string }
  /** The process of its flight is dead, and its file was read to the end without it. */
  | { kind: 'return'; why: string }
  /** Its line is out of the receiver's sight, and nothing of the model followed it. */
  | { kind: 'lapse'; why: string }
  | { kind: 'supersede' }
  | { kind: 'withdraw'; why: string }
export type MessageMoveKind = MessageMove['kind']

/** From where each move may start. */
export const MESSAGE_MOVES_FROM: Readonly<Record<MessageMoveKind, readonly MessageStatus[]>> = {
  queue: ['produced'],
  deliver: ['produced', 'queued'],
  consume: ['produced', 'queued', 'delivered'],
  return: ['queued'],
  lapse: ['delivered'],
  supersede: ['produced'],
  withdraw: ['produced', 'queued'],
}

const TO: Readonly<Record<MessageMoveKind, MessageStatus>> = {
  queue: 'queued',
  deliver: 'delivered',
  consume: 'consumed',
  return: 'produced',
  lapse: 'produced',
  supersede: 'superseded',
  withdraw: 'withdrawn',
}

/** The status after the move; `null` = it can't be made from there, which for a repeat is no error. */
export function movedMessage(status: MessageStatus, move: MessageMove): MessageStatus | null {
  return MESSAGE_MOVES_FROM[move.kind].includes(status) ? TO[move.kind] : null
}
