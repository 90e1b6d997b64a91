/** The keys by which push services of browsers know this installation. */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => [
  `create table push_keys (
    id ${t.key}, -- always 1
    public_key text not null,
    private_key text not null
  )`,
]

const down = (): string[] => ['drop table push_keys']

export const pushKeysMigration: Migration = { number: 66, name: 'push-keys', up, down }
