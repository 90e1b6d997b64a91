import { type Address, type MessageId, messageId } from '../../domain/ids'
import { MESSAGE_LIMITS, type MessageRoute, type MessageStatus } from '../../domain/message/message'
import { type MessageMove, movedMessage } from '../../domain/message/message-machine'
import type { MessageRow, NewMessage } from '../../domain/message/message-store'
import { sha256 } from '../../util/crypto'
import type { Unit } from '../unit/unit'

/** The part of a unit that messages need. */
export type MessageUnit = Pick<Unit, 'messages' | 'now' | 'feed' | 'addressesWithMail' | 'leads'>

/** A message as its maker has it: its id follows from address and cause. */
export type MessageDraft = Omit<NewMessage, 'id' | 'isCut' | 'chain' | 'wantsReply'> &
  Partial<Pick<NewMessage, 'chain' | 'wantsReply'>>

/** The same address and cause give the same id, wherever and however often they are asked for: a uuid of version 8. */
export function messageIdOf(to: Address, cause: string): MessageId {
  const hash = sha256(`${to}\0${cause}`)
  hash[6] = (hash.readUInt8(6) & 0x0f) | 0x80
  hash[8] = (hash.readUInt8(8) & 0x3f) | 0x80
  const hex = hash.toString('hex')
  return messageId(
    `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`,
  )
}

/** Puts a message at its address, once: a cause that is there already adds nothing. */
export async function addMessage(unit: MessageUnit, draft: MessageDraft): Promise<MessageRow | undefined> {
  const text = draft.text.slice(0, MESSAGE_LIMITS.text)
  const row = await unit.messages.insert({
    chain: 0,
    wantsReply: false,
    ...draft,
    id: messageIdOf(draft.to, draft.cause),
    text,
    isCut: text.length < draft.text.length,
  })
  if (row !== undefined) await recordStep(unit, row, 'produced', row.route, `for ${row.to}: ${row.cause}`)
  return row
}

/**
 * Moves a message: the one place that writes a status. The row, its step and its feed entry commit together.
 *
 * @returns the message as it is now; `null` = it can't be moved so from where it is, which for a repeat is no error
 */
export async function moveMessage(unit: MessageUnit, row: MessageRow, move: MessageMove): Promise<MessageRow | null> {
  const status = movedMessage(row.status, move)
  if (status === null) return null
  const patch = { status, ...changesOf(row, move, unit.now) }
  await unit.messages.update(row.id, patch)
  const next = { ...row, ...patch }
  await recordStep(unit, next, status, next.route, sentence(row, move))
  return next
}

/** Records by which way a message came that its reader had before anybody knew the carrier. Its status stays. */
export async function nameRoute(unit: MessageUnit, row: MessageRow, route: MessageRoute): Promise<void> {
  if (row.route !== null || (row.status !== 'delivered' && row.status !== 'consumed')) return
  await unit.messages.update(row.id, { route })
  await recordStep(unit, row, row.status, route, `was given by ${route}`)
}

function changesOf(row: MessageRow, move: MessageMove, now: number): Parameters<Unit['messages']['update']>[1] {
  switch (move.kind) {
    case 'queue':
      return { route: move.route, target: move.target, offer: move.offer ?? null, queuedAt: now }
    case 'deliver':
      return { evidence: move.evidence, deliveredAt: now }
    case 'consume':
      return { evidence: move.evidence, deliveredAt: row.deliveredAt ?? now, consumedAt: now }
    case 'return':
    case 'lapse':
      return { target: null, offer: null, evidence: null, deliveredAt: null }
    case 'supersede':
    case 'withdraw':
      return {}
  }
}

function sentence(row: MessageRow, move: MessageMove): string {
  switch (move.kind) {
    case 'queue':
      return `given to ${move.route} of ${move.target}`
    case 'deliver':
      return `delivered: ${move.evidence}`
    case 'consume':
      return `consumed: ${move.evidence}`
    case 'return':
      return `returned from ${row.route ?? 'its route'} of ${row.target ?? 'nobody'}: ${move.why}`
    case 'lapse':
      return `will be offered again: ${move.why}`
    case 'supersede':
      return 'replaced by a newer status'
    case 'withdraw':
      return `withdrawn: ${move.why}`
  }
}

async function recordStep(
  unit: MessageUnit,
  row: MessageRow,
  status: MessageStatus,
  route: MessageRow['route'],
  text: string,
): Promise<void> {
  await unit.messages.addStep(row.id, { at: unit.now, status, route, text })
  // A status wakes nobody, and what is on its way changes nothing yet.
  if (row.kind !== 'status' && status !== 'queued') unit.addressesWithMail.add(row.to)
  const { id, to, kind, taskId } = row
  await unit.feed('message.updated', { messageId: id, to, status, kind, taskId })
}
