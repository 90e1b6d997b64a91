import { sql } from 'kysely'
import type { IssueId } from '../../../domain/ids'
import type { Page, PageRequest } from '../../../domain/port'
import type { Issue } from '../../../domain/task/task'
import { checkLimit, decodeCursor, encodeCursor } from '../../sql/cursor'
import type { ReadContext } from '../../sql/read-context'
import { ISSUE_COLUMNS } from '../rows'

type SelectedIssue = Issue & { sortKey: number }

const SELECT = sql.raw(`select ${ISSUE_COLUMNS}, i.id as "sortKey" from issues i`)

/** Ids are unique within a tracker: of several the one of the oldest tracker. */
export async function findIssue({ db }: ReadContext, id: IssueId): Promise<Issue | undefined> {
  const { rows } = await sql<SelectedIssue>`
    ${SELECT} where i.public_id = ${id} and i.is_deleted = 0 order by i.tracker_id limit 1
  `.execute(db)
  return rows[0] && toIssue(rows[0])
}

/** The newest first. */
export async function listIssues(
  { db }: ReadContext,
  filter: { type?: string },
  page: PageRequest,
): Promise<Page<Issue>> {
  const limit = checkLimit(page.limit)
  const conditions = [sql`i.is_deleted = 0 and i.is_absent = 0`]
  if (filter.type !== undefined) conditions.push(sql`i.type = ${filter.type}`)
  if (page.cursor !== undefined) conditions.push(sql`i.id < ${decodeCursor(page.cursor, filter, ['number'])[0]}`)
  const { rows } = await sql<SelectedIssue>`
    ${SELECT} where ${sql.join(conditions, sql` and `)} order by i.id desc limit ${limit + 1}
  `.execute(db)
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return { rows: shown.map(toIssue), nextCursor: last === undefined ? null : encodeCursor(filter, [last.sortKey]) }
}

const toIssue = ({ sortKey: _, ...row }: SelectedIssue): Issue => row
