/** A task may name a repository by its remote, and the state of its worktree is kept after each turn. */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => [
  'alter table tasks add column repository text',
  // The function names the columns that it writes.
  ...t.dropTaskUnits,
  ...t.taskUnits,
  `create table work_copies (
    id ${t.key},
    task_id ${t.int} not null references tasks(id) on delete cascade,
    attempt_number ${t.int} not null,
    commit_id text not null,
    head text not null,
    base text not null,
    remote text not null,
    host_name text,
    size ${t.int} not null,
    stored ${t.int} not null, -- bytes of the bundle that are here, from its beginning
    left_out text not null, -- JSON
    taken_at ${t.int} not null,
    unique (task_id, attempt_number, commit_id)
  )`,
  `create table work_copy_parts (
    copy_id ${t.int} not null references work_copies(id) on delete cascade,
    place ${t.int} not null, -- where the bytes begin
    bytes ${t.blob} not null,
    primary key (copy_id, place)
  )`,
]

const down = (t: SqlWords): string[] => [
  'drop table work_copy_parts',
  'drop table work_copies',
  ...t.dropTaskUnits,
  'alter table tasks drop column repository',
  ...t.taskUnits,
]

export const workCopiesMigration: Migration = { number: 130, name: 'work-copies', minCompatible: 95, up, down }
