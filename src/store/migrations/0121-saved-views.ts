/** Views of lists that people saved. */
import type { Migration, SqlWords } from './migration'

const up = (t: SqlWords): string[] => [
  `create table saved_views (
    id ${t.key},
    public_id ${t.bytewise} not null unique,
    list text not null, -- which list it is of
    name text not null,
    search text not null, -- the address's part behind the question mark
    created_by text not null,
    created_at ${t.int} not null
  )`,
  'create index saved_views_list on saved_views (list)',
]

const down = (): string[] => ['drop index saved_views_list', 'drop table saved_views']

export const savedViewsMigration: Migration = { number: 121, name: 'saved-views', minCompatible: 120, up, down }
