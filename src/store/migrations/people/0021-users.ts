/** People, and the owner and giver of each token. */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => [
  `create table users (
    id ${t.key},
    name text not null,
    fold ${t.bytewise} not null unique,
    role text not null, -- viewer | approver | admin
    login ${t.bytewise},
    added_by text not null,
    created_at ${t.int} not null,
    removed_at ${t.int}
  )`,
  `create unique index users_login on users (login) where login is not null and removed_at is null`,
  `alter table tokens add column user_id ${t.int}`,
  `alter table tokens add column made_by ${t.int}`,
]

const down = (): string[] => [
  'alter table tokens drop column made_by',
  'alter table tokens drop column user_id',
  'drop table users',
]

export const usersMigration: Migration = { number: 21, name: 'users', up, down }
