import type { Generated } from 'kysely'
import type { InboxStatus, ReplyStatus } from '../domain/inbox'
import type { MessageKind, MessageRoute, MessageSender, MessageStatus } from '../domain/message'

/** Tables of messages, addresses, plans and what comes from outside. */
export interface MessageSchema {
  messages: MessagesTable
  message_steps: {
    id: Generated<number>
    message_seq: number
    at: number
    status: MessageStatus
    route: MessageRoute | null
    text: string
  }
  message_lines: {
    session_id: number
    message_id: string
    line_uuid: Uint8Array
    at: number
    followed_at: number | null
    is_settled: Generated<number>
  }
  message_waits: { address: string; call: string; until: number }
  address_aliases: { alias: string; address: string; evidence: string; at: number }
  registrations: RegistrationsTable
  attachments: AttachmentsTable
  plans: { id: Generated<number>; public_id: string; title: string; creator: string; created_at: number }
  inbox: InboxTable
  inbox_tasks: { id: Generated<number>; inbox_id: number; task_public_id: string; at: number }
  inbox_replies: InboxRepliesTable
  inbox_sources: {
    id: Generated<number>
    name: string
    secret: string
    callback: string | null
    lead_address: string | null
    created_at: number
  }
}

interface MessagesTable {
  seq: Generated<number>
  id: string
  to_address: string
  cause: string
  kind: MessageKind
  status: MessageStatus
  route: MessageRoute | null
  target: string | null
  from_kind: MessageSender['kind']
  from_address: string | null
  from_name: string
  task_public_id: string | null
  reply_to: string | null
  chain: number
  wants_reply: number
  is_cut: number
  full_at: string | null
  evidence: string | null
  created_at: number
  queued_at: number | null
  delivered_at: number | null
  consumed_at: number | null
  text: string
}

interface RegistrationsTable {
  address: string
  kind: 'chat' | 'web'
  client: string | null
  hostname: string | null
  project: string | null
  title: string | null
  owner: string | null
  /** JSON list. */
  capabilities: string
  /** JSON. */
  metadata: string
  created_at: number
  last_seen_at: number
}

interface AttachmentsTable {
  id: Generated<number>
  public_id: string
  address: string
  client: string
  host: string
  attached_at: number
  last_seen_at: number
  detached_at: number | null
}

interface InboxTable {
  id: Generated<number>
  public_id: string
  source: string
  external_id: string | null
  once_key: string
  thread_key: string | null
  sender: string
  status: InboxStatus
  told_to: string | null
  received_at: number
  answered_at: number | null
  text: string
}

interface InboxRepliesTable {
  id: Generated<number>
  public_id: string
  inbox_id: number
  source: string
  author: string
  status: ReplyStatus
  tries: number
  next_at: number | null
  error: string | null
  created_at: number
  text: string
}
