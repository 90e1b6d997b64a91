/** What could be begun. Text: what is asked depends on the filter, and hooks and reads ask it too. */
import type { IssueId, TrackerKey } from '../../domain/ids'
import type { ReadyFilter } from '../../domain/issue/issue-store'
import { first, type Program, type Value } from '../sql/program'

/** What is ready at a time, beside `ready_priority`: nothing deferred, no deferred parent, nobody holds it. */
export const IS_READY = `i.ready_priority is not null and (i.defer_until is null or i.defer_until <= ?)
  and not exists (select 1 from issue_claims c where c.issue_id = i.id)
  and not exists (
    select 1 from issue_parents p join issues a on a.tracker_id = p.tracker_id and a.public_id = p.parent
     where p.issue_id = i.id and a.defer_until > ? and a.is_deleted = 0 and a.is_absent = 0)`

/** Conditions of a `ReadyFilter` on `issues i`, with their parameters. */
export function readyConditions(filter: ReadyFilter): { sql: string; params: Value[] } {
  const parts: string[] = []
  const params: Value[] = []
  const add = (sql: string, ...values: Value[]): void => {
    parts.push(`and ${sql}`)
    params.push(...values)
  }
  const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ') || 'null'
  if (filter.types) add(`i.type in (${marks(filter.types)})`, ...filter.types)
  if (filter.priorities) add(`i.priority in (${marks(filter.priorities)})`, ...filter.priorities)
  if (filter.assignee !== undefined) add('i.assignee = ?', filter.assignee)
  if (filter.noAssignee === true) add(`(i.assignee is null or i.assignee = '')`)
  for (const label of filter.labels ?? [])
    add('exists (select 1 from issue_labels l where l.issue_id = i.id and l.label = ?)', label)
  if (filter.anyLabels)
    add(
      `exists (select 1 from issue_labels l where l.issue_id = i.id and l.label in (${marks(filter.anyLabels)}))`,
      ...filter.anyLabels,
    )
  if (filter.parentId !== undefined)
    add('exists (select 1 from issue_parents p where p.issue_id = i.id and p.parent = ?)', filter.parentId)
  return { sql: parts.join(' '), params }
}

export function* nextReady(tracker: TrackerKey, filter: ReadyFilter, now: number): Program<IssueId | undefined> {
  const { sql, params } = readyConditions(filter)
  const found = yield* first<{ id: IssueId }>(
    `select i.public_id as id from issues i where i.tracker_id = ? and ${IS_READY} ${sql}
      order by i.ready_priority, i.created_at desc, i.public_id limit 1`,
    tracker,
    now,
    now,
    ...params,
  )
  return found?.id
}
