import type { MessageRow, NewMessage } from '../../domain/message/message-store'
import type { Sparse } from '../../domain/port'
import { columnsOf, type Selected } from '../sql/columns'

/** A row of `messages` with its sender's fields apart, as the table has them. */
export interface FlatMessage extends Omit<MessageRow, 'from'> {
  fromKind: MessageRow['from']['kind']
  fromAddress: MessageRow['from']['address']
  fromName: string
}

export const MESSAGE = columnsOf<FlatMessage>()('messages', {
  named: { to: 'to_address', taskId: 'task_public_id' },
  kept: { wantsReply: 'flag', isCut: 'flag', offer: 'json' },
  without: [],
})

/** The row as it was selected. */
export function readMessage(selected: Selected<FlatMessage>): MessageRow {
  const { fromKind, fromAddress, fromName, ...row } = MESSAGE.read(selected)
  return { ...row, from: { kind: fromKind, address: fromAddress, name: fromName } }
}

export const flatMessage = ({ from, ...row }: NewMessage): Sparse<Omit<FlatMessage, 'seq' | 'createdAt'>> => ({
  ...row,
  fromKind: from.kind,
  fromAddress: from.address,
  fromName: from.name,
  status: 'produced',
})
