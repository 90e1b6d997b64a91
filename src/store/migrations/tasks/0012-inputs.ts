/** What is said to a run is a message to its task: it has a way, an end and one meaning of "read" like any other. */
import type { Migration, SqlWords } from '../migration'

const up = (): string[] => ['drop table task_inputs']

const down = (t: SqlWords): string[] => [
  `create table task_inputs (
    id ${t.key},
    uuid ${t.bytewise} not null unique,
    task_id ${t.int} not null references tasks(id),
    urgency text not null, -- now | next
    status text not null, -- queued | sent | delivered
    created_at ${t.int} not null,
    text text not null
  )`,
  `create index task_inputs_queued on task_inputs (task_id, id) where status = 'queued'`,
]

export const inputsMigration: Migration = { number: 12, name: 'inputs', up, down }
