import type { MessageRow, NewMessage } from '../../domain/message-store'
import { Columns } from '../tasks/columns'

/** A row of `messages` with its sender's fields apart, as the table has them. */
export interface FlatMessage extends Omit<MessageRow, 'from'> {
  fromKind: MessageRow['from']['kind']
  fromAddress: MessageRow['from']['address']
  fromName: string
}

export const MESSAGE = new Columns<FlatMessage>({
  seq: 'seq',
  id: 'id',
  to: 'to_address',
  cause: 'cause',
  kind: 'kind',
  status: 'status',
  route: 'route',
  target: 'target',
  fromKind: 'from_kind',
  fromAddress: 'from_address',
  fromName: 'from_name',
  taskId: 'task_public_id',
  replyTo: 'reply_to',
  chain: 'chain',
  wantsReply: ['wants_reply', 'flag'],
  isCut: ['is_cut', 'flag'],
  fullAt: 'full_at',
  evidence: 'evidence',
  createdAt: 'created_at',
  queuedAt: 'queued_at',
  deliveredAt: 'delivered_at',
  consumedAt: 'consumed_at',
  text: 'text',
})

/** The row as it was selected by `MESSAGE.select`. */
export function readMessage(selected: object): MessageRow {
  const { fromKind, fromAddress, fromName, ...row } = MESSAGE.read(selected as FlatMessage)
  return { ...row, from: { kind: fromKind, address: fromAddress, name: fromName } }
}

export const flatMessage = ({ from, ...row }: NewMessage): Omit<FlatMessage, 'seq'> => ({
  ...row,
  fromKind: from.kind,
  fromAddress: from.address,
  fromName: from.name,
  status: 'produced',
  route: null,
  target: null,
  evidence: null,
  createdAt: 0,
  queuedAt: null,
  deliveredAt: null,
  consumedAt: null,
})
