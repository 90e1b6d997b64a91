/** What a person took off the list of what needs them, and along what that list is read. */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => [
  `create table need_dismissals (
    need_id ${t.bytewise} primary key,
    at ${t.int} not null,
    dismissed_by text not null
  ) ${t.withoutRowid}`,
  'create index need_dismissals_age on need_dismissals (at)',
  // Turns that are open and those that ended lately; all others of a long record are passed over.
  'create index sessions_activity on sessions (activity, activity_at) where activity is not null',
  `create index sessions_alive on sessions (id) where process_state = 'alive'`,
  'create index tasks_finished on tasks (finished_at) where finished_at is not null',
  'create index tasks_lost on tasks (id) where lost_count > 0',
  // Which task a conversation was of, also where a later attempt began another.
  `create index attempts_session on attempts ${t.byWhole} ((${t.jsonText('conversation', 'sessionId')}))`,
  `create index subagent_runs_heard on subagent_runs ((coalesce(ended_at, started_at, 0))) where read_at is null`,
  'create index subagent_runs_ended on subagent_runs (ended_at) where ended_at is not null',
  // Lines of main threads by their number. The last condition always holds: it keeps questions about turns, which would walk whole
  // threads along this index, on `conversation_events_turn`.
  `create index conversation_events_main on conversation_events (session_id, at${t.thenKey})
    where subagent_id is null and parent_tool_use_id is null and length >= 0`,
]

const down = (): string[] => [
  ...[
    'conversation_events_main',
    'subagent_runs_ended',
    'subagent_runs_heard',
    'attempts_session',
    'tasks_lost',
    'tasks_finished',
    'sessions_alive',
    'sessions_activity',
  ].map((index) => `drop index ${index}`),
  'drop table need_dismissals',
]

export const dashboardMigration: Migration = { number: 8, name: 'dashboard', up, down }
