import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT } from '../../../api/contract/protocol'
import { AppError } from '../../../domain/errors'
import type { OptionSpecs } from './specs'

/** Options of every command that lists. */
export const PAGING = {
  limit: {
    kind: 'number',
    short: 'n',
    value: 'N',
    min: 1,
    max: MAX_PAGE_LIMIT,
    fallback: DEFAULT_PAGE_LIMIT,
    help: 'show at most N rows',
  },
  cursor: { kind: 'text', value: 'CURSOR', help: 'continue after a previous page: its nextCursor' },
  all: { kind: 'flag', help: 'all rows; ignores --limit' },
} as const satisfies OptionSpecs

/**
 * One page, or all pages as one.
 * @param fetchPage  asked with the limit and the cursor of each page
 */
export async function listRows<Row>(
  options: { limit: number; cursor: string | undefined; all: boolean },
  fetchPage: (request: {
    limit: number
    cursor: string | undefined
  }) => Promise<{ rows: Row[]; nextCursor: string | null }>,
): Promise<{ rows: Row[]; nextCursor: string | null }> {
  if (!options.all) return fetchPage({ limit: options.limit, cursor: options.cursor })
  const rows: Row[] = []
  let cursor = options.cursor
  do {
    const page = await fetchPage({ limit: MAX_PAGE_LIMIT, cursor })
    if (page.nextCursor !== null && page.nextCursor === cursor)
      throw new AppError('internal', 'The server returned the same page twice.')
    for (const row of page.rows) rows.push(row)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return { rows, nextCursor: null }
}
