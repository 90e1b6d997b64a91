/** Tasks lose an index that another one has whole, and rows that change often get room for their next version beside them. */
import type { Migration, SqlWords } from '../migration'

/** Tables whose rows change several times. */
const CHANGING = ['tasks', 'attempts', 'agents', 'sessions']

const up = (t: SqlWords): string[] => [
  // `tasks_last_session` is by the same column, and then by the key.
  'drop index tasks_conversation',
  ...CHANGING.flatMap((table) => t.roomForUpdates(table)),
]

const down = (t: SqlWords): string[] => [
  'create index tasks_conversation on tasks (last_session_native_id) where last_session_native_id is not null',
  ...CHANGING.flatMap((table) => t.noRoomForUpdates(table)),
]

export const leanTasksMigration: Migration = { number: 51, name: 'lean-tasks', up, down }
