import type { PlainRow } from '../../components/plain-table'
import type { ListCursor } from '../../lib/keys/list-cursor'

/** A row's part in keyboard navigation, for a cursor that spans several tables. @param at  index over all tables */
export const cursorAt = (cursor: ListCursor, at: number): NonNullable<PlainRow['cursor']> => ({
  isCurrent: cursor.at === at,
  ref: cursor.at === at ? cursor.row : null,
  onFocus: () => cursor.set(at),
})
