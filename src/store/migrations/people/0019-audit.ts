/** Acts that matter for security, with their authors. Each line holds the hash of the one before; `audit_head` knows the last one. */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => [
  `create table audit_lines (
    number ${t.int} not null unique,
    at ${t.int} not null,
    act text not null,
    actor_kind text not null,
    actor_name text,
    peer text,
    target text,
    detail text not null,
    before text not null,
    hash text not null
  )`,
  // One row. Whoever adds a line holds it until the commit, so that no two lines follow the same one.
  `create table audit_head (number ${t.int} not null, hash text not null)`,
  `insert into audit_head (number, hash) values (0, '')`,
]

const down = (): string[] => ['drop table audit_head', 'drop table audit_lines']

export const auditMigration: Migration = { number: 19, name: 'audit', up, down }
