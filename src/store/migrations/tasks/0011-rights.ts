/** What proves that an agent is on the machine that it names, what a worker lets tasks do at most, and which call a question is about. */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => [
  `alter table agents add column host_key_hash ${t.blob}`,
  'alter table agents add column max_permission_mode text',
  `alter table questions add column call_hash text not null default ''`,
]

const down = (): string[] => [
  'alter table questions drop column call_hash',
  'alter table agents drop column max_permission_mode',
  'alter table agents drop column host_key_hash',
]

export const rightsMigration: Migration = { number: 11, name: 'rights', up, down }
