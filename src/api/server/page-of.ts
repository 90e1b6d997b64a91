import { AppError } from '../../domain/errors'
import type { Page } from '../../domain/port'

/**
 * A page of a list that is small enough to be read whole. The cursor names the last row given, so that rows which come or go
 * meanwhile double and skip nothing else.
 *
 * @throws `invalid` when the cursor's row is not in the list (any more)
 */
export function pageOf<Row>(
  rows: Row[],
  idOf: (row: Row) => string,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Page<Row> {
  const from = cursor === undefined ? 0 : rows.findIndex((row) => encodeURIComponent(idOf(row)) === cursor) + 1
  if (cursor !== undefined && from === 0) {
    throw new AppError('invalid', 'The cursor does not belong to this list, or its row no longer exists.', {
      hint: 'List again from the start.',
    })
  }
  const page = rows.slice(from, from + limit)
  const last = page[page.length - 1]
  const hasMore = from + page.length < rows.length
  return { rows: page, nextCursor: hasMore && last !== undefined ? encodeURIComponent(idOf(last)) : null }
}
