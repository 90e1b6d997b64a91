/** The operators' tokens of the installations that work on a database, by which any of its servers lets an operator in. */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => [
  `create table operator_tokens (
    id ${t.key},
    token_hash ${t.blob} not null unique,
    home ${t.bytewise} not null, -- the installation's host-id
    created_at ${t.int} not null,
    ended_at ${t.int}
  )`,
]

const down = (): string[] => ['drop table operator_tokens']

export const operatorsMigration: Migration = { number: 33, name: 'operators', up, down }
