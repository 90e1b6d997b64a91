import { AppError } from '../../domain/errors'

/** A cursor is base64url of JSON: `[check of the filter, …sort key of the last row]`. Opaque to its user. */
export function encodeCursor(filter: unknown, sortKey: (number | string)[]): string {
  return Buffer.from(JSON.stringify([filterCheck(filter), ...sortKey])).toString('base64url')
}

/**
 * The sort key of an earlier page's last row.
 *
 * @param shape  the types that the sort key's parts must have.
 * @throws `invalid`  the text is no cursor, or one of a list with other filters.
 */
export function decodeCursor(
  cursor: string,
  filter: unknown,
  shape: readonly ('number' | 'string')[],
): (number | string)[] {
  const [check, ...sortKey] = parse(cursor)
  const fits =
    check === filterCheck(filter) &&
    sortKey.length === shape.length &&
    sortKey.every((part, i) => typeof part === shape[i] && (typeof part !== 'number' || Number.isSafeInteger(part)))
  if (!fits) {
    throw new AppError('invalid', 'This cursor does not belong to this list.', {
      hint: 'Use `nextCursor` of a page with the same filters, or leave it out.',
    })
  }
  return sortKey as (number | string)[]
}

function parse(cursor: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    return Array.isArray(parsed) ? parsed : []
  } catch {
    return []
  }
}

/** A short digest of the filters, whatever the order in which they were given. */
function filterCheck(filter: unknown): string {
  const entries = Object.entries(filter ?? {}).filter(([, value]) => value !== undefined)
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return Bun.hash.wyhash(JSON.stringify(entries)).toString(36)
}

/** @throws `invalid`  unless `limit` is an integer from 1 to `maximum`. */
export function checkLimit(limit: number, maximum = 1_000): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= maximum) return limit
  throw new AppError('invalid', `The limit must be a whole number from 1 to ${maximum}.`, { details: { limit } })
}
