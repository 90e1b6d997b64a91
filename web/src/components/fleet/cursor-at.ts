import type { ListCursor } from '../../lib/list-cursor'
import type { PlainRow } from '../plain-table'

/** A table's row under a cursor that goes over several tables. */
export const cursorAt = (cursor: ListCursor, at: number): NonNullable<PlainRow['cursor']> => ({
  isCurrent: cursor.at === at,
  ref: cursor.at === at ? cursor.row : null,
  onFocus: () => cursor.set(at),
})
