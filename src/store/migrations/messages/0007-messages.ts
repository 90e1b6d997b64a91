/** Messages and their ways, addresses, attached clients, plans, and requests from outside. */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => [
  `create table messages (
    seq ${t.key},
    id ${t.bytewise} not null unique, -- uuid
    to_address ${t.bytewise} not null,
    cause ${t.bytewise} not null,
    kind text not null, -- result | question | answer | status | message
    status text not null, -- produced | queued | delivered | consumed | superseded | withdrawn
    route text,
    target ${t.bytewise}, -- of the flight: an attempt, a tool call, a process
    from_kind text not null,
    from_address ${t.bytewise},
    from_name text not null,
    task_public_id text,
    reply_to text,
    chain ${t.int} not null,
    wants_reply ${t.int} not null,
    is_cut ${t.int} not null,
    full_at text,
    evidence text,
    created_at ${t.int} not null,
    queued_at ${t.int},
    delivered_at ${t.int},
    consumed_at ${t.int},
    text text not null,
    unique (to_address, cause)
  )`,
  `create index messages_waiting on messages (to_address, seq) where status = 'produced'`,
  `create index messages_flying on messages (to_address, seq) where status = 'queued'`,
  `create index messages_target on messages (target) where status = 'queued'`,
  `create index messages_busy on messages (seq) where status in ('produced', 'queued', 'delivered')`,
  `create index messages_delivered on messages (seq) where status = 'delivered'`,
  'create index messages_address on messages (to_address, seq)',
  'create index messages_sender on messages (from_address, seq) where from_address is not null',
  `create table message_steps (
    id ${t.key},
    message_seq ${t.int} not null references messages(seq),
    at ${t.int} not null,
    status text not null,
    route text,
    text text not null
  )`,
  'create index message_steps_message on message_steps (message_seq, id)',
  // A projection: lines that carry messages, in whatever session they stand.
  `create table message_lines (
    session_id ${t.int} not null references sessions(id) on delete cascade,
    message_id ${t.bytewise} not null,
    line_uuid ${t.blob} not null,
    at ${t.int} not null,
    followed_at ${t.int}, -- when a line of the model followed on that branch
    is_settled ${t.int} not null default 0, -- the message knows it
    primary key (message_id, session_id, line_uuid)
  ) ${t.withoutRowid}`,
  'create index message_lines_open on message_lines (session_id) where followed_at is null',
  'create index message_lines_unsettled on message_lines (message_id) where is_settled = 0',
  // Calls that wait at an address now: while one does, nothing is given to the receiver's input, which could not take it.
  `create table message_waits (
    address ${t.bytewise} not null,
    call ${t.bytewise} not null,
    until ${t.int} not null,
    primary key (address, call)
  ) ${t.withoutRowid}`,
  `create table address_aliases (
    alias ${t.bytewise} primary key,
    address ${t.bytewise} not null,
    evidence text not null,
    at ${t.int} not null
  ) ${t.withoutRowid}`,
  'create index address_aliases_address on address_aliases (address)',
  `create table registrations (
    address ${t.bytewise} primary key,
    kind text not null, -- chat | web
    client text,
    hostname text,
    project text,
    title text,
    owner text,
    capabilities text not null, -- JSON list
    metadata text not null, -- JSON
    created_at ${t.int} not null,
    last_seen_at ${t.int} not null
  ) ${t.withoutRowid}`,
  `create table attachments (
    id ${t.key},
    public_id text not null unique,
    address ${t.bytewise} not null,
    client text not null,
    host text not null,
    attached_at ${t.int} not null,
    last_seen_at ${t.int} not null,
    detached_at ${t.int}
  )`,
  'create index attachments_address on attachments (address) where detached_at is null',
  `create table plans (
    id ${t.key},
    public_id text not null unique,
    title text not null,
    creator text not null,
    created_at ${t.int} not null
  )`,
  // What the same process of the CLI held before it was cleared.
  'alter table sessions add column cleared_from text',
  // Which task's runs are in a conversation.
  'create index tasks_conversation on tasks (last_session_native_id) where last_session_native_id is not null',
  'alter table tasks add column reply_to text',
  'alter table tasks add column on_child_done text', // resume or hold
  'alter table tasks add column plan_id text',
  'alter table tasks add column plan_key text',
  'alter table tasks add column specialist text', // the agent whose instructions its runs get, whoever runs it
  // Children whose end the task waits for; see domain/task/task-machine.ts.
  'create index tasks_reply_to on tasks (reply_to, status) where reply_to is not null',
  'create index tasks_plan on tasks (plan_id, id) where plan_id is not null',
  'alter table agents add column instructions text',
  'alter table agents add column model text',
  'alter table agents add column description text',
  // The lead runs that are there; see `domain/inbox.ts`.
  `create index tasks_lead on tasks (id) where task_type = 'lead'`,
  `create table inbox_sources (
    id ${t.key},
    name ${t.bytewise} not null unique,
    secret text not null, -- signs in both directions, so it is kept as it is
    callback text,
    lead_address ${t.bytewise},
    created_at ${t.int} not null
  )`,
  `create table inbox (
    id ${t.key},
    public_id text not null unique,
    source ${t.bytewise} not null,
    external_id ${t.bytewise}, -- the source's own id
    once_key ${t.bytewise} not null, -- the same again is the same message
    thread_key ${t.bytewise},
    sender text not null,
    status text not null, -- new | delegated | replied | closed
    told_to ${t.bytewise}, -- the lead's address
    received_at ${t.int} not null,
    answered_at ${t.int},
    text text not null,
    unique (source, once_key)
  )`,
  'create index inbox_status on inbox (status, id)',
  `create index inbox_new on inbox (source, id) where status = 'new'`,
  'create index inbox_thread on inbox (source, thread_key, id) where thread_key is not null',
  `create table inbox_tasks (
    id ${t.key},
    inbox_id ${t.int} not null references inbox(id),
    task_public_id text not null,
    at ${t.int} not null,
    unique (inbox_id, task_public_id)
  )`,
  'create index inbox_tasks_task on inbox_tasks (task_public_id)',
  `create table inbox_replies (
    id ${t.key},
    public_id text not null unique,
    inbox_id ${t.int} not null references inbox(id),
    source ${t.bytewise} not null,
    author text not null,
    status text not null, -- waiting | sent | failed
    tries ${t.int} not null,
    next_at ${t.int}, -- of its callback
    error text,
    created_at ${t.int} not null,
    text text not null
  )`,
  'create index inbox_replies_inbox on inbox_replies (inbox_id, id)',
  `create index inbox_replies_due on inbox_replies (next_at) where status = 'waiting' and next_at is not null`,
  `create index inbox_replies_waiting on inbox_replies (source, id) where status = 'waiting'`,
]

const down = (): string[] => [
  ...['inbox_replies', 'inbox_tasks', 'inbox', 'inbox_sources'].map((table) => `drop table ${table}`),
  'drop index tasks_lead',
  'alter table agents drop column description',
  'alter table agents drop column model',
  'alter table agents drop column instructions',
  'drop index tasks_plan',
  'drop index tasks_reply_to',
  'drop index tasks_conversation',
  'alter table sessions drop column cleared_from',
  ...['specialist', 'plan_key', 'plan_id', 'on_child_done', 'reply_to'].map(
    (column) => `alter table tasks drop column ${column}`,
  ),
  ...[
    'plans',
    'attachments',
    'registrations',
    'address_aliases',
    'message_waits',
    'message_lines',
    'message_steps',
    'messages',
  ].map((table) => `drop table ${table}`),
]

export const messagesMigration: Migration = { number: 7, name: 'messages', up, down }
