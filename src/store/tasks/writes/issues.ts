import { AppError } from '../../../domain/errors'
import { type IssueId, trackerKey } from '../../../domain/ids'
import type { FullIssue } from '../../../domain/issue/issue'
import { issueFacts } from '../../../domain/issue/issue-facts'
import { UNSET_ISSUE_FIELDS } from '../../../domain/issue/issue-fields'
import { BUILT_IN_STATUSES } from '../../../domain/issue/issue-status'
import type { Issue } from '../../../domain/task/task'
import { saveIssues } from '../../issues/writes/save'
import type { TaskDialect } from '../../sql/dialect'
import { first, type Program } from '../../sql/program'
import { ISSUE_COLUMNS } from '../rows'

/** Issues that belong to no folder. */
const NO_FILE = trackerKey(0)

export function* insertIssue(db: TaskDialect, row: Issue): Program<void> {
  const taken = yield* first('select 1 as found from issues where tracker_id = ? and public_id = ?', NO_FILE, row.id)
  if (taken !== undefined) throw new AppError('conflict', `there is an issue ${row.id} already`)
  const issue = fullIssue(row)
  const state = { isDeleted: false, isAbsent: false, isDirty: false, raw: null }
  yield* saveIssues(db, NO_FILE, [{ key: null, issue, facts: issueFacts(issue, BUILT_IN_STATUSES), state }])
}

function fullIssue({
  id,
  type,
  title,
  description,
  status,
  priority,
  parentId,
  createdAt,
  updatedAt,
}: Issue): FullIssue {
  return {
    id,
    title,
    ...UNSET_ISSUE_FIELDS,
    description,
    status,
    priority,
    issueType: type,
    createdAt,
    createdBy: null,
    updatedAt,
    startedAt: null,
    closedAt: null,
    closeReason: null,
    closedBySession: null,
    sourceSystem: null,
    labels: [],
    dependencies:
      parentId === null
        ? []
        : [
            {
              issueId: id,
              dependsOnId: parentId,
              type: 'parent-child',
              createdAt,
              createdBy: null,
              metadata: '{}',
              threadId: null,
            },
          ],
    comments: [],
    activeTaskSession: null,
    extra: {},
  }
}

/** Ids are unique within a tracker: of several the one of the oldest tracker. */
export function* issue(id: IssueId, type?: string): Program<Issue | undefined> {
  const found = yield* first<Issue & Record<string, never>>(
    `select ${ISSUE_COLUMNS} from issues i where i.public_id = ? and i.is_deleted = 0
      ${type === undefined ? '' : 'and i.type = ?'} order by i.tracker_id limit 1`,
    ...(type === undefined ? [id] : [id, type]),
  )
  return found && { ...found }
}
