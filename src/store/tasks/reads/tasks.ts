import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Page, PageRequest } from '../../../domain/port'
import type { ShownTaskStatus, Task, TaskStatus } from '../../../domain/task/task'
import type { TaskFilter, TaskRow } from '../../../domain/task/task-store'
import { isTaskOf } from '../../of-agent-cli'
import { checkLimit, decodeCursor, encodeCursor } from '../../sql/cursor'
import type { ReadContext } from '../../sql/read-context'
import { holdWords } from '../../sql/words/title-words'
import { familyKeys } from '../kinship'
import { HAS_QUESTION, projectOf, SHOWN_FROM, shownColumns, toTask, WAITING_STATUSES } from '../shown'

export type TaskOrder = 'newest' | 'queue'
type Condition = RawBuilder<SqlBool>

/** A page of tasks. */
export async function listTasks(
  context: ReadContext,
  filter: TaskFilter,
  page: PageRequest,
  order: TaskOrder,
  textLimit?: number,
): Promise<Page<Task>> {
  const limit = checkLimit(page.limit)
  const conditions = conditionsOf(context, filter, order)
  const paging = { ...filter, order }
  const priority = sql.raw<number>(isOfQueue(filter.statuses, order) ? 't.queue_priority' : 't.priority')
  if (isOfQueue(filter.statuses, order)) conditions.push(sql`t.queue_priority is not null`)
  if (page.cursor !== undefined)
    conditions.push(order === 'newest' ? olderThan(page.cursor, paging) : after(page.cursor, paging, priority))
  const orderBy = order === 'newest' ? sql`t.id desc` : sql`${priority} desc, t.id`
  const rows = await selectShown(context, conditions, sql`${orderBy} limit ${limit + 1}`, textLimit)
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  const sortKey = last && (order === 'newest' ? [last.key] : [last.priority, last.key])
  return { rows: shown.map(toTask), nextCursor: sortKey === undefined ? null : encodeCursor(paging, sortKey) }
}

/** Texts of a task that may be long: their fields and columns. */
const LONG_TEXTS = {
  text: 'text',
  progress: 'progress',
  output: 'output',
  reason: 'reason',
  failureReason: 'failure_reason',
} as const satisfies Partial<Record<keyof TaskRow, string>>
const LONG_FIELDS = Object.keys(LONG_TEXTS) as (keyof typeof LONG_TEXTS)[]

/** Both databases count whole characters, so none is cut in two. */
const cutTexts = (limit: number): RawBuilder<unknown> =>
  sql.join(
    LONG_FIELDS.map((field) => sql`substr(${sql.ref(`t.${LONG_TEXTS[field]}`)}, 1, ${limit}) as ${sql.ref(field)}`),
  )

/** Rows of `shownColumns`, for `toTask`, with what pages are sorted by. @param textLimit  as of `TaskReads.list` */
export async function selectShown(
  { db, capabilities }: ReadContext,
  conditions: Condition[],
  orderAndLimit: RawBuilder<unknown>,
  textLimit?: number,
): Promise<{ key: number; priority: number; parentKey: number | null }[]> {
  const where = conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`
  const columns =
    textLimit === undefined
      ? sql.raw(shownColumns(capabilities))
      : sql`${sql.raw(shownColumns(capabilities, LONG_FIELDS))}, ${cutTexts(textLimit)}`
  const { rows } = await sql<{ key: number; priority: number; parentKey: number | null }>`
    select ${columns} from ${sql.raw(SHOWN_FROM)} ${where} order by ${orderAndLimit}
  `.execute(db)
  return rows
}

/** Tasks below this one, whether it exists (any more) or not. */
export const isChildOf = (parent: string): Condition =>
  sql`(t.parent_id = (select id from tasks where public_id = ${parent})
    or (t.parent_id is null and t.parent_task_id = ${parent}))`

function olderThan(cursor: string, filter: unknown): Condition {
  const [key] = decodeCursor(cursor, filter, ['number'])
  return sql`t.id < ${key}`
}

function after(cursor: string, filter: unknown, priority: RawBuilder<number>): Condition {
  const [at, key] = decodeCursor(cursor, filter, ['number', 'number'])
  // The first part alone lets the index begin at the right place.
  return sql`${priority} <= ${at} and (${priority} < ${at} or t.id > ${key})`
}

function conditionsOf(context: ReadContext, filter: TaskFilter, order: TaskOrder): Condition[] {
  const { capabilities } = context
  const conditions: Condition[] = []
  const equal = (column: string, value: string | undefined): void => {
    if (value !== undefined) conditions.push(sql`${sql.ref(column)} = ${value}`)
  }
  if (filter.statuses !== undefined) conditions.push(isShownAs(filter.statuses, order))
  if (filter.agentId !== undefined)
    conditions.push(sql`t.agent_id = (select id from agents where public_id = ${filter.agentId})`)
  if (filter.agent !== undefined) conditions.push(isTaskOf('t', filter.agent))
  if (filter.familyOf !== undefined) conditions.push(sql`t.id in (${familyKeys(sql`${filter.familyOf}`)})`)
  if (filter.parentTaskId !== undefined) conditions.push(isChildOf(filter.parentTaskId))
  equal('t.epic_id', filter.epicId)
  equal('t.issue_id', filter.issueId)
  equal('t.session_native_id', filter.sessionId)
  equal('t.task_type', filter.taskType)
  equal('t.source', filter.source)
  if (filter.tag !== undefined) conditions.push(capabilities.listHas(sql.ref('t.tags'), filter.tag))
  if (filter.project !== undefined)
    conditions.push(sql`${sql.raw(projectOf('id'))} in (
      select p.id from projects p where p.root = ${filter.project} or p.name = ${filter.project})`)
  conditions.push(...holdWords(capabilities, ['t.title', 't.text', 't.public_id'], filter.text ?? ''))
  return conditions
}

const WAITING = sql.raw(`(${WAITING_STATUSES.map((status) => `'${status}'`).join(', ')})`)

/** A task that is offered to somebody, or whose run asked a person, is shown as such and not as what it is besides: as `shownStatus` has it. */
export function isShownAs(statuses: readonly ShownTaskStatus[], order: TaskOrder = 'newest'): Condition {
  const own = statuses.filter((status): status is TaskStatus => status !== 'offered' && status !== 'waiting')
  // SQLite would rather find all of a status and sort them than walk the index of the queue.
  const status = isOfQueue(statuses, order) ? sql`coalesce(t.status, '')` : sql`t.status`
  const shown: Condition[] = []
  if (own.length > 0)
    shown.push(
      sql`(${status} in (${sql.join(own)})${
        // Others are offered to nobody: the index by status tells all of them.
        own.some((one) => (WAITING_STATUSES as readonly TaskStatus[]).includes(one))
          ? sql` and not (t.offered_to is not null and ${status} in ${WAITING})`
          : sql``
      }${own.includes('in_progress') ? sql` and ${sql.raw(HAS_QUESTION)} = 0` : sql``})`,
    )
  if (statuses.includes('waiting')) shown.push(sql`(${status} = 'in_progress' and ${sql.raw(HAS_QUESTION)} = 1)`)
  if (statuses.includes('offered')) shown.push(sql`(t.offered_to is not null and ${status} in ${WAITING})`)
  return shown.length === 0 ? sql`1 = 0` : sql`(${sql.join(shown, sql` or `)})`
}

/** Whether only tasks that are still to be taken are asked for, in their order: the index `tasks_queue` is that list. */
const isOfQueue = (statuses: readonly ShownTaskStatus[] | undefined, order: TaskOrder): boolean =>
  order === 'queue' &&
  statuses?.every(
    (status) => status === 'offered' || (WAITING_STATUSES as readonly ShownTaskStatus[]).includes(status),
  ) === true
