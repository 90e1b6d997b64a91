/** Channels that notify people, and what each reported. */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => [
  `create table notify_channels (
    id ${t.key},
    name ${t.bytewise} not null unique,
    kind text not null,
    target text,
    server text,
    sender text,
    secret text,
    events text not null, -- JSON list
    project text,
    quiet text, -- JSON
    after_ms ${t.int} not null,
    created_at ${t.int} not null
  )`,
  `create table notifications (
    id ${t.key},
    public_id ${t.bytewise} not null unique,
    channel ${t.bytewise} not null,
    subject ${t.bytewise} not null,
    event text not null,
    title text not null,
    path text not null,
    question_id ${t.bytewise},
    answer_hash ${t.bytewise},
    status text not null, -- waiting | sent | failed | over
    tries ${t.int} not null default 0,
    next_at ${t.int},
    error text,
    created_at ${t.int} not null,
    settled_at ${t.int},
    text text not null,
    unique (channel, subject)
  )`,
  `create index notifications_due on notifications (next_at) where next_at is not null`,
]

const down = (): string[] => ['drop table notifications', 'drop table notify_channels']

export const notifyMigration: Migration = { number: 37, name: 'notify', up, down }
