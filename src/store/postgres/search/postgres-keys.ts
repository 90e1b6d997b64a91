import { type SqlBool, sql } from 'kysely'
import type { ReadCapabilities } from '../../sql/read-context'

/** Fewer keys are soon read and compared. */
const MANY_KEYS = 200

/** As text: the driver's own arrays are not bound where the statement is prepared for any number of keys. */
export const inKeys: ReadCapabilities['inKeys'] = (column, keys) =>
  sql<SqlBool>`${column} = any(${`{${keys.join(',')}}`}::text::bigint[])`

/** The text of an array is read anew for each row that is looked at. A subquery becomes a hash once; as a value it is no join. */
export const amongKeys: ReadCapabilities['amongKeys'] = (column, keys) =>
  keys.length < MANY_KEYS
    ? inKeys(column, keys)
    : sql<SqlBool>`(${column} in (select unnest(${`{${keys.join(',')}}`}::text::bigint[]))) is true`
