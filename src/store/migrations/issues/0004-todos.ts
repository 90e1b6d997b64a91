/**
 * To-dos beside issues: their history and who changed them last, lists that several sessions share, what names an issue in a session,
 * and what people and agents decided about both.
 */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => [
  `alter table todos add column history text not null default '[]'`,
  // The node that changed it last; its creator is subagent_id of session_id.
  `alter table todos add column changed_subagent_id ${t.int}`,
  `alter table todos add column changed_session_id ${t.int}`,
  // The agent's own id of a list that sessions share.
  'alter table todo_lists add column native_list text',
  // When that was said last: the newest word counts.
  `alter table todo_lists add column native_list_at ${t.int}`,
  `alter table todo_lists add column left_out ${t.int} not null default 0`,
  'create index todo_lists_native on todo_lists (native_list) where native_list is not null',
  // A projection: the agent's own files of lists whose folders name no session.
  `create table todo_files (
    native_list ${t.bytewise} not null,
    file ${t.bytewise} not null,
    body text not null, -- JSON of TodoChange
    primary key (native_list, file)
  ) ${t.withoutRowid}`,

  // The author of a change: what a session did itself is no news to it. null = a person, or from before this column was there.
  'alter table issue_history add column session_native_id text',

  // A projection: words that may be issues' ids, as a person's prompts, the branch and the environment have them.
  `create table session_mentions (
    session_id ${t.int} not null references sessions(id) on delete cascade,
    source text not null, -- prompt | branch | environment
    place text not null, -- uuid of the prompt's event, name of the branch; '' = the environment
    word ${t.bytewise} not null,
    at ${t.int} not null,
    primary key (session_id, source, place, word)
  ) ${t.withoutRowid}`,
  'create index session_mentions_word on session_mentions (word, session_id)',

  // Decisions: they stay through a rebuild, so they name sessions by their native id.
  `create table session_issue_choices (
    session_native_id ${t.bytewise} not null,
    issue_id ${t.int} not null references issues(id),
    is_linked ${t.int} not null,
    at ${t.int} not null,
    decided_by text not null,
    primary key (session_native_id, issue_id)
  ) ${t.withoutRowid}`,
  'create index session_issue_choices_issue on session_issue_choices (issue_id)',
  `create table todo_ends (
    session_native_id ${t.bytewise} primary key,
    at ${t.int} not null
  ) ${t.withoutRowid}`,
  `create table todo_promotions (
    todo_id ${t.bytewise} primary key,
    session_native_id ${t.bytewise} not null,
    issue_id ${t.int} not null references issues(id),
    at ${t.int} not null,
    settled_at ${t.int} -- when the issue was closed because the to-do was completed, or need not be
  ) ${t.withoutRowid}`,
  'create index todo_promotions_issue on todo_promotions (issue_id)',
  'create index todo_promotions_open on todo_promotions (todo_id) where settled_at is null',
  'create index todo_promotions_session on todo_promotions (session_native_id)',
  `create table todo_takers (
    todo_id ${t.bytewise} primary key,
    session_native_id ${t.bytewise} not null,
    at ${t.int} not null
  ) ${t.withoutRowid}`,
  'create index todo_takers_session on todo_takers (session_native_id)',
  // Issues that a session looked at: whoever looked at one alone is asked whether to link it.
  `create table session_issue_views (
    session_native_id ${t.bytewise} not null,
    issue_id ${t.int} not null references issues(id),
    at ${t.int} not null,
    primary key (session_native_id, issue_id)
  ) ${t.withoutRowid}`,

  // What links a session and an issue, by the session.
  'create index issue_claims_session on issue_claims (session_native_id) where session_native_id is not null',
  'create index issues_closed_by on issues (closed_by_session) where closed_by_session is not null',
  'create index tasks_last_session on tasks (last_session_native_id, id) where last_session_native_id is not null',
]

const down = (): string[] => [
  'drop index tasks_last_session',
  'drop index issues_closed_by',
  'drop index issue_claims_session',
  'drop table session_issue_views',
  'drop table todo_takers',
  'drop table todo_promotions',
  'drop table todo_ends',
  'drop table session_issue_choices',
  'drop table session_mentions',
  'alter table issue_history drop column session_native_id',
  'drop table todo_files',
  'drop index todo_lists_native',
  'alter table todo_lists drop column left_out',
  'alter table todo_lists drop column native_list_at',
  'alter table todo_lists drop column native_list',
  'alter table todos drop column changed_session_id',
  'alter table todos drop column changed_subagent_id',
  'alter table todos drop column history',
]

export const todosMigration: Migration = { number: 4, name: 'todos', up, down }
