/** The servers at work on a database that several share. */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => [
  `create table servers (
    instance ${t.bytewise} primary key, -- random, new with each start
    host_name text not null,
    version text not null,
    schema_version ${t.int} not null, -- the newest migration that it knows and needs
    started_at ${t.int} not null,
    seen_at ${t.int} not null -- renewed while it works, by the database's clock
  )`,
]

const down = (): string[] => ['drop table servers']

export const serversMigration: Migration = { number: 56, name: 'servers', minCompatible: 55, up, down }
