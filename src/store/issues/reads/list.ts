import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { AppError } from '../../../domain/errors'
import { agentId, type IssueId, sessionId, type TrackerKey } from '../../../domain/ids'
import { CLAIM_GRACE_MS, type IssueClaim } from '../../../domain/issue/issue'
import type { IssueFilter, IssueOrder, ShownIssue } from '../../../domain/issue/issue-store'
import type { Page, PageRequest } from '../../../domain/port'
import { checkLimit, decodeCursor, encodeCursor } from '../../sql/cursor'
import { programDriver } from '../../sql/program-driver'
import { isoTime, type ReadContext } from '../../sql/read-context'
import { holdWords } from '../../sql/words/title-words'
import { tasksAtWork } from '../../tasks/served-issues'
import { type SelectedIssue, STORED_COLUMNS, toStored } from '../rows'

type Condition = RawBuilder<SqlBool>

export const IS_THERE = sql<SqlBool>`i.is_deleted = 0 and i.is_absent = 0`

/** ` and …` of one tracker's issues; nothing over all. */
export const inTracker = (tracker: TrackerKey | null): RawBuilder<unknown> =>
  tracker === null ? sql`` : sql`and i.tracker_id = ${tracker}`

interface ShownRow extends SelectedIssue {
  id: IssueId
  dependentCount: number
  dependencyCount: number
  commentCount: number
  parentId: IssueId | null
}

const SHOWN_COLUMNS = `${STORED_COLUMNS}, (
  select count(*) from issue_dependencies d where d.tracker_id = i.tracker_id and d.depends_on = i.public_id and d.type = 'blocks'
) as "dependentCount"`

/** What lists show of the issues that fit, in order. */
export async function shownWhere(
  context: ReadContext,
  where: RawBuilder<unknown>,
  orderAndLimit: RawBuilder<unknown>,
): Promise<ShownIssue[]> {
  const { rows } = await sql<ShownRow>`
    select ${sql.raw(SHOWN_COLUMNS)} from issues i where ${where} order by ${orderAndLimit}
  `.execute(context.db)
  return await present(context, rows)
}

async function present(context: ReadContext, rows: ShownRow[]): Promise<ShownIssue[]> {
  if (rows.length === 0) return []
  const claims = await claimsOf(
    context,
    rows.map(({ key }) => key),
  )
  const atWork = await programDriver(context.db)(tasksAtWork(new Set(rows.map(({ id }) => id))))
  return rows.map((row) => {
    const { dependentCount, ...rest } = row
    const { dependencyCount, commentCount, parentId } = row
    const {
      key: _key,
      trackerKey: _tracker,
      isDeleted: _deleted,
      isAbsent: _absent,
      isDirty: _dirty,
      raw: _raw,
      ...issue
    } = toStored(rest)
    return {
      ...issue,
      dependencyCount,
      dependentCount: Number(dependentCount),
      commentCount,
      parentId,
      claim: claims.get(row.key) ?? null,
      taskAtWork: atWork.get(row.key) ?? null,
    }
  })
}

/** Claims by issue, with the last sign of life of who holds it. */
async function claimsOf({ db }: ReadContext, keys: number[]): Promise<Map<number, IssueClaim>> {
  if (keys.length === 0) return new Map()
  const { rows } = await sql<{
    key: number
    holder: string
    session: string | null
    agent: string | null
    since: number
    goneAt: number | null
    aliveAt: number | null
    activeAt: number | null
    processAt: number | null
    seenAt: number | null
  }>`
    select c.issue_id as "key", c.holder as holder, c.session_native_id as session, c.agent_public_id as agent, c.since as since,
      c.gone_at as "goneAt",
      (select max(s.last_event_at) from sessions s where s.native_id = c.session_native_id) as "aliveAt",
      (select max(s.activity_at) from sessions s where s.native_id = c.session_native_id) as "activeAt",
      (select max(s.process_at) from sessions s
        where s.native_id = c.session_native_id and s.process_state = 'alive') as "processAt",
      (select a.last_seen_at from agents a where a.public_id = c.agent_public_id) as "seenAt"
      from issue_claims c
  `.execute(db)
  // There are few claims, and often none: not a parameter for each row of the page.
  const wanted = new Set(keys)
  return new Map(
    rows
      .filter(({ key }) => wanted.has(key))
      .map((row) => {
        const aliveAt = Math.max(row.aliveAt ?? 0, row.activeAt ?? 0, row.processAt ?? 0, row.seenAt ?? 0) || null
        return [
          row.key,
          {
            holder: row.holder,
            sessionId: row.session === null ? null : sessionId(row.session),
            agentId: row.agent === null ? null : agentId(row.agent),
            since: isoTime(row.since),
            aliveAt: isoTime(aliveAt),
            state:
              row.goneAt !== null ? ('gone' as const) : aliveAt === null ? ('unknown' as const) : ('alive' as const),
            lapsesAt: row.goneAt === null ? null : isoTime(row.goneAt + CLAIM_GRACE_MS),
          },
        ]
      }),
  )
}

/** Sort keys of the orders, each ended by the row's own key so that pages never skip or repeat. */
const ORDERS: Record<IssueOrder, { sql: string; isText: boolean; isDescending: boolean }> = {
  priority: { sql: 'i.open_priority', isText: false, isDescending: false },
  created: { sql: 'coalesce(i.created_at, 0)', isText: false, isDescending: true },
  updated: { sql: 'coalesce(i.updated_at, 0)', isText: false, isDescending: true },
  id: { sql: 'i.public_id', isText: true, isDescending: false },
}

export async function listIssues(
  context: ReadContext,
  tracker: TrackerKey | null,
  filter: IssueFilter,
  page: PageRequest,
  order: IssueOrder = 'priority',
  isReversed = false,
): Promise<Page<ShownIssue> & { total: number | null }> {
  const limit = checkLimit(page.limit, 100_000)
  const where = conditionsOf(context, tracker, filter)
  const paging = { ...filter, order, isReversed, tracker }
  // What lists leave out by themselves is out of the index that is in this order.
  const isOpenOnly = isOfOpen(filter)
  const sorted = sortOf(order, isOpenOnly, isReversed)
  const offset = page.cursor === undefined ? 0 : Number(decodeCursor(page.cursor, paging, ['number'])[0])
  if (!Number.isInteger(offset) || offset < 0)
    throw new AppError('invalid', 'This cursor does not belong to this list.')
  const rows = await shownWhere(
    context,
    sql.join(where, sql` and `),
    sql`${sorted} limit ${limit + 1} offset ${offset}`,
  )
  const shown = rows.slice(0, limit)
  const hasMore = rows.length > limit
  const total = hasMore || offset > 0 ? await count(context, where) : shown.length
  return { rows: shown, nextCursor: hasMore ? encodeCursor(paging, [offset + limit]) : null, total }
}

async function count({ db }: ReadContext, where: Condition[]): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from issues i where ${sql.join(where, sql` and `)}
  `.execute(db)
  return Number(rows[0]?.n ?? 0)
}

function sortOf(order: IssueOrder, isOpenOnly: boolean, isReversed: boolean): RawBuilder<unknown> {
  const { sql: column, isDescending } = ORDERS[order]
  const key = order === 'priority' && !isOpenOnly ? 'i.priority' : column
  const way = isDescending !== isReversed ? 'desc' : 'asc'
  const newest = isReversed ? 'asc' : 'desc'
  return order === 'priority'
    ? sql.raw(`${key} ${way}, i.created_at ${newest}, i.public_id`)
    : sql.raw(`${key} ${way}, i.public_id`)
}

const isOfOpen = (filter: IssueFilter): boolean =>
  filter.statuses === undefined && filter.all !== true && filter.isAbsent !== true

function conditionsOf(context: ReadContext, tracker: TrackerKey | null, filter: IssueFilter): Condition[] {
  const { capabilities } = context
  const all: Condition[] = []
  const add = (condition: Condition): void => {
    all.push(condition)
  }
  if (tracker !== null) add(sql`i.tracker_id = ${tracker}`)
  if (filter.isAbsent === true) add(sql`i.is_absent = 1 and i.is_deleted = 0`)
  else if (isOfOpen(filter)) add(sql`i.open_priority is not null`)
  else add(IS_THERE)
  if (filter.statuses) add(sql`i.status in (${sql.join(filter.statuses.length > 0 ? filter.statuses : [''])})`)
  if (filter.types) add(sql`i.type in (${sql.join(filter.types.length > 0 ? filter.types : [''])})`)
  if (filter.priorities) add(sql`i.priority in (${sql.join(filter.priorities.length > 0 ? filter.priorities : [-1])})`)
  if (filter.priorityMin !== undefined) add(sql`i.priority >= ${filter.priorityMin}`)
  if (filter.priorityMax !== undefined) add(sql`i.priority <= ${filter.priorityMax}`)
  if (filter.assignee !== undefined) add(sql`i.assignee = ${filter.assignee}`)
  if (filter.noAssignee === true) add(sql`(i.assignee is null or i.assignee = '')`)
  for (const label of filter.labels ?? [])
    add(sql`exists (select 1 from issue_labels l where l.issue_id = i.id and l.label = ${label})`)
  if (filter.anyLabels && filter.anyLabels.length > 0)
    add(
      sql`exists (select 1 from issue_labels l where l.issue_id = i.id and l.label in (${sql.join(filter.anyLabels)}))`,
    )
  if (filter.noLabels === true) add(sql`not exists (select 1 from issue_labels l where l.issue_id = i.id)`)
  if (filter.parentId !== undefined)
    add(sql`exists (select 1 from issue_parents p where p.issue_id = i.id and p.parent = ${filter.parentId})`)
  if (filter.noParent === true) add(sql`i.parent_public_id is null`)
  if (filter.createdAfter !== undefined) add(sql`i.created_at >= ${filter.createdAfter}`)
  if (filter.createdBefore !== undefined) add(sql`i.created_at < ${filter.createdBefore}`)
  if (filter.updatedAfter !== undefined) add(sql`i.updated_at >= ${filter.updatedAfter}`)
  if (filter.updatedBefore !== undefined) add(sql`i.updated_at < ${filter.updatedBefore}`)
  if (filter.closedAfter !== undefined) add(sql`i.closed_at >= ${filter.closedAfter}`)
  if (filter.closedBefore !== undefined) add(sql`i.closed_at < ${filter.closedBefore}`)
  if (filter.dueBefore !== undefined) add(sql`i.due_at < ${filter.dueBefore}`)
  if (filter.isDeferred !== undefined)
    add(filter.isDeferred ? sql`(i.defer_until is not null or i.status = 'deferred')` : sql`i.defer_until is null`)
  if (filter.isBlocked !== undefined) add(sql`i.is_blocked = ${filter.isBlocked ? 1 : 0}`)
  if (filter.sessionId !== undefined) add(sql`i.active_session = ${filter.sessionId}`)
  const columns = ['i.public_id', 'i.title', ...(filter.isDeep === true ? LONG_TEXTS : [])]
  return [...all, ...holdWords(capabilities, columns, filter.text ?? '')]
}

const LONG_TEXTS = ['i.description', 'i.notes', 'i.design', 'i.acceptance_criteria']
