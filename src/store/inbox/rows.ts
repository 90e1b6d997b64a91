import type { InboxRow, ReplyRow, SourceRow } from '../../domain/inbox'
import { Columns } from '../tasks/columns'

export const INBOX = new Columns<InboxRow>({
  key: 'id',
  id: 'public_id',
  source: 'source',
  externalId: 'external_id',
  onceKey: 'once_key',
  threadKey: 'thread_key',
  sender: 'sender',
  status: 'status',
  toldTo: 'told_to',
  receivedAt: 'received_at',
  answeredAt: 'answered_at',
  text: 'text',
})

export const REPLY = new Columns<ReplyRow>({
  key: 'id',
  id: 'public_id',
  inboxKey: 'inbox_id',
  source: 'source',
  author: 'author',
  text: 'text',
  status: 'status',
  tries: 'tries',
  nextAt: 'next_at',
  error: 'error',
  createdAt: 'created_at',
})

export const SOURCE = new Columns<SourceRow>({
  name: 'name',
  secret: 'secret',
  callback: 'callback',
  lead: 'lead_address',
  createdAt: 'created_at',
})

/** Tasks that are over. */
export const FINAL_STATUSES = `('completed', 'failed', 'cancelled')`
