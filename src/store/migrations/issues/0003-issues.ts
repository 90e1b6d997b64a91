/**
 * The tracker: issues with all their fields, one tracker for each file, what is blocked worked out on each write.
 *
 * The minimal issues of 0002 become issues of tracker 0, which has no file. Down keeps what fits into the minimal table; of issues
 * with the same id in several trackers the first.
 */
import type { Migration, SqlWords } from '../migration'

const minimal = (t: SqlWords): string[] => [
  `create table issues (
    id ${t.key},
    public_id ${t.bytewise} not null unique,
    type text not null,
    title text not null,
    description text not null,
    status text not null,
    priority ${t.int} not null, -- 0 (highest) to 4
    parent_id ${t.int} references issues(id),
    created_at ${t.int} not null,
    updated_at ${t.int} not null
  )`,
  `create index issues_type on issues (type, id)`,
]

const ISO = (t: SqlWords, column: string) => t.isoTime(column)

const up = (t: SqlWords): string[] => [
  `create table trackers (
    id ${t.key},
    host_name text, -- hosts.name
    path text, -- of the file, absolute; null = issues that belong to no folder
    prefix text not null,
    style text, -- JSON of FileStyle
    stamp text, -- JSON of FileStamp: the file as it was when all of it was known to be here
    former_stamp text, -- the same, before our own last write: it tells a write that was cut off by a crash
    hash text,
    statuses text not null, -- JSON list of custom statuses
    unique (host_name, path)
  )`,
  `insert into trackers (id, prefix, statuses) values (0, 'ld', '[]')`,

  `create table minimal_issues as
    select i.*, p.public_id as parent_public_id from issues i left join issues p on p.id = i.parent_id`,
  `drop table issues`,
  // Long texts stand last: what comes before them is read without walking over them.
  `create table issues (
    id ${t.key},
    tracker_id ${t.int} not null references trackers(id),
    public_id ${t.bytewise} not null,
    status text not null,
    category text, -- active | wip | done | frozen
    priority ${t.int} not null, -- 0 (highest) to 4
    type text not null,
    is_over ${t.int} not null, -- done or pinned: blocks nobody
    has_failed ${t.int} not null, -- by its close reason
    is_hidden ${t.int} not null, -- never ready work
    is_blocked ${t.int} not null, -- by an edge of its own or of a parent's; kept on each write
    is_deleted ${t.int} not null,
    is_absent ${t.int} not null, -- the file had it and has it no longer
    is_dirty ${t.int} not null, -- the file has still to be told
    created_at ${t.int}, -- milliseconds, for order; the text below is what was written
    updated_at ${t.int},
    closed_at ${t.int},
    due_at ${t.int},
    defer_until ${t.int},
    dependency_count ${t.int} not null, -- edges of type blocks
    comment_count ${t.int} not null,
    parent_public_id ${t.bytewise}, -- the first of issue_parents
    assignee text,
    owner text,
    estimated_minutes double precision,
    created_text text not null,
    updated_text text not null,
    started_text text,
    closed_text text,
    due_text text,
    defer_text text,
    created_by text,
    close_reason text,
    closed_by_session text,
    active_session text,
    external_ref text,
    source_system text,
    spec_id text,
    title text not null,
    labels text not null, -- JSON list
    dependencies text not null, -- JSON list of IssueDependency
    extra text not null, -- JSON: keys of the file that have no column
    description text not null,
    design text not null,
    acceptance_criteria text not null,
    notes text not null,
    raw text, -- the line as the file has it
    -- Its place among ready work; null = it is none, whatever the time.
    ready_priority ${t.int} generated always as (
      case when category = 'active' and is_blocked = 0 and is_hidden = 0 and is_deleted = 0 and is_absent = 0 then priority end) stored,
    -- Its place in lists of what is not done.
    open_priority ${t.int} generated always as (
      case when (category is null or category <> 'done') and is_deleted = 0 and is_absent = 0 then priority end) stored,
    unique (tracker_id, public_id)
  )`,
  `create index issues_public_id on issues (public_id)`,
  `create index issues_ready on issues (tracker_id, ready_priority, created_at desc, public_id) where ready_priority is not null`,
  `create index issues_open on issues (tracker_id, open_priority, created_at desc, public_id) where open_priority is not null`,
  `create index issues_updated on issues (tracker_id, updated_at desc, public_id)`,
  `create index issues_type on issues (type, id)`,
  `create index issues_deferred on issues (defer_until) where defer_until is not null`,
  `create index issues_dirty on issues (tracker_id, id) where is_dirty = 1`,

  `create table issue_dependencies (
    issue_id ${t.int} not null references issues(id),
    tracker_id ${t.int} not null,
    depends_on ${t.bytewise} not null, -- public id; may name no issue
    type text not null,
    is_any_gate ${t.int} not null, -- of waits-for: the first child that ends sets it free
    primary key (issue_id, depends_on)
  ) ${t.withoutRowid}`,
  `create index issue_dependencies_on on issue_dependencies (tracker_id, depends_on, type, issue_id)`,
  `create table issue_parents (
    issue_id ${t.int} not null references issues(id),
    tracker_id ${t.int} not null,
    parent ${t.bytewise} not null,
    primary key (issue_id, parent)
  ) ${t.withoutRowid}`,
  `create index issue_parents_of on issue_parents (tracker_id, parent, issue_id)`,
  `create table issue_labels (
    issue_id ${t.int} not null references issues(id),
    tracker_id ${t.int} not null,
    label text not null,
    primary key (issue_id, label)
  ) ${t.withoutRowid}`,
  `create index issue_labels_by on issue_labels (tracker_id, label, issue_id)`,
  `create table issue_comments (
    id ${t.key},
    issue_id ${t.int} not null references issues(id),
    native_id text not null,
    author text not null,
    created_text text not null,
    text text not null
  )`,
  `create index issue_comments_issue on issue_comments (issue_id, id)`,
  `create table issue_history (
    id ${t.key},
    issue_id ${t.int} not null references issues(id),
    at ${t.int} not null,
    actor text not null,
    event text not null,
    old text, -- JSON
    new text
  )`,
  `create index issue_history_issue on issue_history (issue_id, id)`,
  `create table issue_claims (
    issue_id ${t.int} primary key references issues(id),
    holder text not null,
    session_native_id text,
    agent_public_id text,
    since ${t.int} not null,
    gone_at ${t.int}
  )`,
  // Lines of a file that are no issues, where they stood.
  `create table issue_kept_lines (
    id ${t.key},
    tracker_id ${t.int} not null references trackers(id),
    line ${t.int} not null,
    kind text not null,
    native_id text,
    raw text not null
  )`,
  `create index issue_kept_lines_tracker on issue_kept_lines (tracker_id, id)`,

  `insert into issues (tracker_id, public_id, status, category, priority, type, is_over, has_failed, is_hidden, is_blocked,
      is_deleted, is_absent, is_dirty, created_at, updated_at, dependency_count, comment_count, parent_public_id,
      created_text, updated_text, title, labels, dependencies, extra, description, design, acceptance_criteria, notes)
    select 0, public_id, status, case status when 'open' then 'active' when 'closed' then 'done' else 'wip' end, priority, type,
      case status when 'closed' then 1 else 0 end, 0, 0, 0, 0, 0, 0, created_at, updated_at, 0, 0, parent_public_id,
      ${ISO(t, 'created_at')}, ${ISO(t, 'updated_at')}, title, '[]', '[]', '{}', description, '', '', ''
    from minimal_issues order by id`,
  `insert into issue_parents (issue_id, tracker_id, parent)
    select id, 0, parent_public_id from issues where parent_public_id is not null`,
  `drop table minimal_issues`,
]

const down = (t: SqlWords): string[] => [
  `create table full_issues as
    select public_id, type, title, description, status, priority, parent_public_id, coalesce(created_at, 0) as created_at,
      coalesce(updated_at, 0) as updated_at
    from issues i
    where is_deleted = 0 and not exists (
      select 1 from issues o where o.public_id = i.public_id and o.is_deleted = 0 and o.id < i.id)
    order by id`,
  ...[
    'issue_kept_lines',
    'issue_claims',
    'issue_history',
    'issue_comments',
    'issue_labels',
    'issue_parents',
    'issue_dependencies',
    'issues',
    'trackers',
  ].map((table) => `drop table ${table}`),
  ...minimal(t),
  `insert into issues (public_id, type, title, description, status, priority, created_at, updated_at)
    select public_id, type, title, description, status, priority, created_at, updated_at from full_issues`,
  `update issues set parent_id = (select p.id from issues p join full_issues f on f.parent_public_id = p.public_id
      where f.public_id = issues.public_id)`,
  `drop table full_issues`,
]

export const issuesMigration: Migration = { number: 3, name: 'issues', up, down }
