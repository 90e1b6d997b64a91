/** Filters of lists that people save under a name. */
import type { Migration, SqlWords } from '../migration'

export const savedViewsMigration: Migration = {
  number: 197,
  name: 'saved-views',
  minCompatible: 130,
  up: (t: SqlWords) => [
    `create table saved_views (
      owner text not null,
      list text not null,
      name text not null,
      search text not null,
      is_shared ${t.int} not null,
      primary key (owner, list, name)
    )`,
  ],
  down: () => ['drop table saved_views'],
}
