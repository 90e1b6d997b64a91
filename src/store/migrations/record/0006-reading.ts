/**
 * Indexes to read conversations along: where turns begin, what a call continued, which session went on from which. Small: they have few
 * rows.
 */
import type { Migration } from '../migration'

const up = (): string[] => [
  // The words of the condition must stand in a query too, or SQLite passes the index over.
  `create index conversation_events_turn on conversation_events (session_id, at)
    where subagent_id is null and type in ('prompt', 'notice', 'compaction')`,
  `create index sessions_resumed on sessions (resumed_from) where resumed_from is not null`,
  `create index subagent_runs_continued on subagent_runs (session_id, tool_use_id) where number > 1`,
]

const down = (): string[] => [
  'drop index subagent_runs_continued',
  'drop index sessions_resumed',
  'drop index conversation_events_turn',
]

export const readingMigration: Migration = { number: 6, name: 'reading', up, down }
