/** The session of another agent CLI whose conversation a session goes on with. */
import type { Migration } from '../migration'

const up = (): string[] => [
  // The CLI's own id, as in `forked_from`: it may not be recorded (yet).
  'alter table sessions add column translated_from text',
  'create index sessions_translated on sessions (translated_from) where translated_from is not null',
]

const down = (): string[] => ['drop index sessions_translated', 'alter table sessions drop column translated_from']

export const translationMigration: Migration = { number: 31, name: 'translation', up, down }
