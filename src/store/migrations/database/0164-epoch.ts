/** Each life of a database has a name: a restored one has another, so that workers know what it can't know. */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => [
  'create table database_epoch (epoch text not null)', // one row
  `insert into database_epoch (epoch) values (${t.randomId})`,
]

const down = (): string[] => ['drop table database_epoch']

export const epochMigration: Migration = { number: 164, name: 'epoch', minCompatible: 95, up, down }

/** For whoever brings back a copy, in the transaction that makes it whole. */
export const beginEpoch = ({ randomId }: Pick<SqlWords, 'randomId'>): string =>
  `update database_epoch set epoch = ${randomId}`
