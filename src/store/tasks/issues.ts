import { AppError } from '../../domain/errors'
import type { IssueId } from '../../domain/ids'
import type { Issue } from '../../domain/task'
import { isoTime } from '../read-context'
import { first, insert, type Program } from '../record/program'

export const ISSUE_COLUMNS = `i.public_id as id, i.type as type, i.title as title, i.description as description,
  i.status as status, i.priority as priority, p.public_id as "parentId", i.created_at as "createdAt",
  i.updated_at as "updatedAt"`

export interface SelectedIssue extends Omit<Issue, 'createdAt' | 'updatedAt'> {
  createdAt: number
  updatedAt: number
}

export const readIssue = (row: SelectedIssue): Issue => ({
  ...row,
  createdAt: isoTime(row.createdAt),
  updatedAt: isoTime(row.updatedAt),
})

export function* insertIssue(row: Issue): Program<void> {
  const id = yield* insert(
    `insert into issues (public_id, type, title, description, status, priority, parent_id, created_at, updated_at)
     values (?, ?, ?, ?, ?, ?, (select id from issues where public_id = ?), ?, ?) on conflict (public_id) do nothing`,
    row.id,
    row.type,
    row.title,
    row.description,
    row.status,
    row.priority,
    row.parentId,
    Date.parse(row.createdAt),
    Date.parse(row.updatedAt),
  )
  if (id === null) throw new AppError('conflict', `there is an issue ${row.id} already`)
}

export function* issue(id: IssueId): Program<Issue | undefined> {
  const found = yield* first<SelectedIssue>(
    `select ${ISSUE_COLUMNS} from issues i left join issues p on p.id = i.parent_id where i.public_id = ?`,
    id,
  )
  return found && readIssue({ ...found })
}
