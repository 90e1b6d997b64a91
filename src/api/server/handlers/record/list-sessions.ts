import type { Page, PageRequest } from '../../../../domain/port'
import type { ShownSessionStatus } from '../../../../domain/session/session'
import type { StoredSession } from '../../../../domain/session/session-store'
import type { StatusReader } from '../../present-session'

/** Rows read at once, and in one request, while looking for a status that few sessions have. */
const BATCH = 250
const MAX_SCANNED = 20_000

/**
 * A page of the sessions of `list` that are in one of `statuses`. A status is derived when read, so the database can't filter by it: pages are
 * read until enough match. After `MAX_SCANNED` rows the page may be short, even empty, with a cursor to go on from.
 */
export async function listByStatus(
  list: (page: PageRequest) => Promise<Page<StoredSession>>,
  statuses: readonly ShownSessionStatus[],
  request: { limit: number; cursor?: string | undefined },
  read: StatusReader,
): Promise<Page<StoredSession>> {
  const found: StoredSession[] = []
  let cursor = request.cursor
  for (let scanned = 0; scanned < MAX_SCANNED; scanned += BATCH) {
    const page = await readPage(BATCH, cursor)
    const missing = request.limit - found.length
    const shown = await read(page.rows)
    const isWanted = (_row: StoredSession, at: number) =>
      statuses.includes((shown[at] as (typeof shown)[number]).status)
    const end = indexOfNth(page.rows, isWanted, missing)
    if (end >= 0 && end < page.rows.length - 1) {
      // The page is full within this batch. Its cursor must stand right behind the last row taken: read just that far.
      const exact = await readPage(end + 1, cursor)
      const wanted = page.rows.slice(0, end + 1).filter(isWanted)
      return { rows: [...found, ...wanted].slice(0, request.limit), nextCursor: exact.nextCursor }
    }
    found.push(...page.rows.filter(isWanted))
    if (page.nextCursor === null || found.length >= request.limit) return { rows: found, nextCursor: page.nextCursor }
    cursor = page.nextCursor
  }
  return { rows: found, nextCursor: cursor ?? null }

  function readPage(limit: number, from: string | undefined) {
    return list(from === undefined ? { limit } : { limit, cursor: from })
  }
}

/** Index of the `n`th row that matches; -1 when fewer do. */
function indexOfNth<Row>(rows: Row[], matches: (row: Row, at: number) => boolean, n: number): number {
  let seen = 0
  return rows.findIndex((row, at) => matches(row, at) && ++seen === n)
}
