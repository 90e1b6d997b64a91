import type { Kysely, RawBuilder } from 'kysely'
import { AppError } from '../../../domain/errors'
import { type IssueId, type TrackerKey, trackerKey } from '../../../domain/ids'
import type { FullIssue } from '../../../domain/issue/issue'
import { issueFacts } from '../../../domain/issue/issue-facts'
import { UNSET_ISSUE_FIELDS } from '../../../domain/issue/issue-fields'
import { BUILT_IN_STATUSES } from '../../../domain/issue/issue-status'
import type { Issue } from '../../../domain/task/task'
import { saveIssues } from '../../issues/writes/save'
import type { TaskDialect } from '../../sql/dialect'
import type { Program } from '../../sql/program'
import { statement } from '../../sql/statement'
import type { Schema } from '../../sql/tables'

/** Issues that belong to no folder. */
const NO_FILE = trackerKey(0)

const TAKEN = statement<{ tracker: TrackerKey; id: IssueId }>()((db, param) =>
  db.selectFrom('issues').select('id').where('tracker_id', '=', param('tracker')).where('public_id', '=', param('id')),
)

export function* insertIssue(db: TaskDialect, row: Issue): Program<void> {
  const taken = yield* TAKEN.first({ tracker: NO_FILE, id: row.id })
  if (taken !== undefined) throw new AppError('conflict', `An issue ${row.id} already exists.`)
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

const issues = (db: Kysely<Schema>, id: RawBuilder<IssueId>) =>
  db
    .selectFrom('issues as i')
    .select([
      'i.public_id as id',
      'i.type',
      'i.title',
      'i.description',
      'i.status',
      'i.priority',
      'i.parent_public_id as parentId',
      'i.created_text as createdAt',
      'i.updated_text as updatedAt',
    ])
    .where('i.public_id', '=', id)
    .where('i.is_deleted', '=', 0)
    .orderBy('i.tracker_id')
    .limit(1)
const BY_ID = statement<{ id: IssueId }>()((db, param) => issues(db, param('id')))
const OF_TYPE = statement<{ id: IssueId; type: string }>()((db, param) =>
  issues(db, param('id')).where('i.type', '=', param('type')),
)

/** Ids are unique within a tracker: of several the one of the oldest tracker. */
export function* issue(id: IssueId, type?: string): Program<Issue | undefined> {
  return yield* type === undefined ? BY_ID.first({ id }) : OF_TYPE.first({ id, type })
}

const FILES = statement<{ id: IssueId }>()((db, param) =>
  db
    .selectFrom('issues as i')
    .innerJoin('trackers as t', 't.id', 'i.tracker_id')
    .select('t.path')
    .where('i.public_id', '=', param('id'))
    .where('i.is_deleted', '=', 0),
)

/** As `TaskTx.issueFiles`. */
export function* issueFiles(id: IssueId): Program<(string | null)[]> {
  return (yield* FILES.rows({ id })).map(({ path }) => path)
}
