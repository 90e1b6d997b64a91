/** Where each task and session stands in the tree of all work, kept as they change, so that a level reads only what it shows. */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => [
  `create table work_tasks (
    task_id ${t.int} primary key references tasks(id) on delete cascade,
    root_id ${t.int} not null -- the outermost task above it, or itself
  )`,
  'create index work_tasks_root on work_tasks (root_id, task_id)',
  `create table work_roots (
    root_id ${t.int} primary key references tasks(id) on delete cascade,
    project_id ${t.int}, -- of the session that it had last
    dir text,
    heard_at ${t.int} not null -- of it and all below it, sessions too
  )`,
  'create index work_roots_heard on work_roots (project_id, heard_at, root_id)',
  // Sessions that stand below tasks, by the outermost of these.
  `create table work_sessions (
    session_id ${t.int} not null references sessions(id) on delete cascade,
    root_id ${t.int} not null references work_roots(root_id) on delete cascade,
    project_id ${t.int}, -- the session's own
    root_project_id ${t.int},
    primary key (session_id, root_id)
  ) ${t.withoutRowid}`,
  'create index work_sessions_root on work_sessions (root_id)',
  'create index work_sessions_project on work_sessions (project_id, session_id)',
  ...t.workPlaces,
]

const down = (t: SqlWords): string[] => [
  ...t.dropWorkPlaces,
  'drop table work_sessions',
  'drop table work_roots',
  'drop table work_tasks',
]

export const workPlacesMigration: Migration = { number: 160, name: 'work-places', minCompatible: 95, up, down }

/** Those that were there before. The triggers do the rest. */
export const placeOldWorkMigration: Migration = {
  number: 161,
  name: 'place-old-work',
  minCompatible: 95,
  backfill: () => `insert into work_tasks (task_id, root_id)
    with recursive unplaced(id, parent_id) as (
      select t.id, t.parent_id from tasks t where not exists (select 1 from work_tasks w where w.task_id = t.id) order by t.id limit 2000
    ), up(task_id, id, parent_id) as (
      select s.id, s.id, s.parent_id from unplaced s
      union all select up.task_id, p.id, p.parent_id from up join tasks p on p.id = up.parent_id
    ) select up.task_id, up.id from up where up.parent_id is null order by up.task_id on conflict do nothing`,
}

/** As `store/tree-levels/live.ts` asks. */
const MAY_RUN =
  "(end_status is null or end_at < last_started_at or end_at < hook_started_at or end_evidence = 'transcript:gone')"

export const workIndexesMigration: Migration = {
  number: 162,
  name: 'work-indexes',
  minCompatible: 95,
  indexes: () => [
    // One walk along it gives the sums of each project's sessions.
    {
      name: 'sessions_of_project',
      on: 'sessions (project_id, (coalesce(last_event_at, 0)), id, token_count, cost_usd, is_cost_estimate)',
    },
    { name: 'subagents_may_run', on: `subagents (session_id) where ${MAY_RUN}` },
  ],
}

/** `sessions_of_project` does what it did. */
export const dropProjectIndexMigration: Migration = {
  number: 163,
  name: 'drop-project-index',
  minCompatible: 95,
  up: () => ['drop index sessions_project'],
  down: () => [
    'create index sessions_project on sessions (project_id, (coalesce(last_event_at, 0)), id) where project_id is not null',
  ],
}
