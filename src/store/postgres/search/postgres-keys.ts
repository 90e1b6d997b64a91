import { type SqlBool, sql } from 'kysely'
import type { ReadCapabilities } from '../../sql/read-context'

/** As text: the driver's own arrays are not bound where the statement is prepared for any number of keys. */
export const inKeys: ReadCapabilities['inKeys'] = (column, keys) =>
  sql<SqlBool>`${column} = any(${`{${keys.join(',')}}`}::text::bigint[])`
