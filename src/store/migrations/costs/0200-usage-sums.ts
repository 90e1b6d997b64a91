/** Sums of usage by hour and by task, so that costs read some rows for each hour or task instead of all messages. */
import type { Migration, SqlWords } from '../migration'
import { USAGE_COLUMNS } from './usage-sums'

const counts = (t: SqlWords): string => USAGE_COLUMNS.map((name) => `${name} ${t.int} not null`).join(', ')

const up = (t: SqlWords): string[] => [
  // Several rows may be of one key, and all of them count: a writer adds one and waits for nobody. A sweep makes one of them.
  `create table usage_hours (
    id ${t.key},
    hour ${t.int} not null, -- hours since 1970 in UTC; -2^53 + 1 = not known
    project_id ${t.int},
    agent text not null,
    model ${t.bytewise} not null,
    node ${t.bytewise} not null, -- main | internal | KIND:TYPE of a sub-agent
    ${counts(t)},
    last_at ${t.int},
    is_part ${t.int} not null, -- not swept yet; 2 within the sweep's unit
    is_worn ${t.int} not null -- takes messages away: last_at of other rows may be of one that is gone
  )`,
  'create index usage_hours_hour on usage_hours (hour)',
  'create index usage_hours_parts on usage_hours (hour) where is_part > 0',
  // For sessions that a task had: while it had them.
  `create table usage_tasks (
    task_id ${t.int} not null references tasks(id) on delete cascade,
    session_id ${t.int} not null references sessions(id) on delete cascade,
    model ${t.bytewise} not null,
    ${counts(t)},
    last_at ${t.int},
    primary key (task_id, session_id, model)
  ) ${t.withoutRowid}`,
  'create index usage_tasks_session on usage_tasks (session_id)',
  ...t.usageSums,
]

const down = (t: SqlWords): string[] => [...t.dropUsageSums, 'drop table usage_tasks', 'drop table usage_hours']

/** Older programs would record messages without adding them here. */
export const usageSumsMigration: Migration = { number: 200, name: 'usage-sums', up, down }

export const usageTimesMigration: Migration = {
  number: 201,
  name: 'usage-times',
  minCompatible: 200,
  // If an hour is asked for in part, messages are read.
  indexes: () => [{ name: 'usage_messages_at', on: 'usage_messages (at)' }],
}

/** As `store/tree-levels/live.ts` asks: all but those of which it is plain that they completed. */
const NOT_DONE = `(end_status is null or end_status <> 'completed' or end_evidence in ('transcript:gone', 'meta:finished')
  or end_at < last_started_at or end_at < hook_started_at)`

export const notDoneMigration: Migration = {
  number: 202,
  name: 'subagents-not-done',
  minCompatible: 200,
  indexes: () => [{ name: 'subagents_not_done', on: `subagents (session_id) where ${NOT_DONE}` }],
}

/** `subagents_not_done` does what it did. */
export const dropMayRunMigration: Migration = {
  number: 203,
  name: 'drop-may-run',
  minCompatible: 200,
  up: () => ['drop index subagents_may_run'],
  down: () => [
    `create index subagents_may_run on subagents (session_id)
      where (end_status is null or end_at < last_started_at or end_at < hook_started_at or end_evidence = 'transcript:gone')`,
  ],
}
