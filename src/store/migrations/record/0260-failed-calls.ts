/** Where something failed in a session, by time, without a look at its other calls and lines. */
import type { Migration } from '../migration'

export const failedCallsMigration: Migration = {
  number: 260,
  name: 'failed-calls',
  minCompatible: 200,
  indexes: () => [
    { name: 'tool_uses_failed', on: 'tool_uses (session_id, ended_at) where is_error = 1' },
    { name: 'conversation_events_failed', on: "conversation_events (session_id, at) where type = 'error'" },
  ],
}
