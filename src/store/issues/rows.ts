import type { IssueKey, TrackerKey } from '../../domain/ids'
import type { FullIssue } from '../../domain/issue/issue'
import type { SavedIssue, StoredIssue, Tracker } from '../../domain/issue/issue-store'
import { columnsOf } from '../sql/columns'
import type { Value } from '../sql/program'

/** A row of `issues` without what the store works out itself (`is_blocked`, counts) and without comments. */
export interface IssueRecord extends Omit<FullIssue, 'comments'> {
  trackerKey: TrackerKey
  category: string | null
  isOver: boolean
  hasFailed: boolean
  isHidden: boolean
  isDeleted: boolean
  isAbsent: boolean
  isDirty: boolean
  createdMs: number | null
  updatedMs: number | null
  closedMs: number | null
  dueMs: number | null
  deferMs: number | null
  dependencyCount: number
  commentCount: number
  parentId: string | null
  raw: string | null
}

export const ISSUE = columnsOf<IssueRecord>()('issues', {
  named: {
    trackerKey: 'tracker_id',
    id: 'public_id',
    issueType: 'type',
    createdMs: 'created_at',
    updatedMs: 'updated_at',
    closedMs: 'closed_at',
    dueMs: 'due_at',
    deferMs: 'defer_until',
    parentId: 'parent_public_id',
    createdAt: 'created_text',
    updatedAt: 'updated_text',
    startedAt: 'started_text',
    closedAt: 'closed_text',
    dueAt: 'due_text',
    deferUntil: 'defer_text',
    activeTaskSession: 'active_session',
  },
  kept: {
    isOver: 'flag',
    hasFailed: 'flag',
    isHidden: 'flag',
    isDeleted: 'flag',
    isAbsent: 'flag',
    isDirty: 'flag',
    labels: 'json',
    dependencies: 'json',
    extra: 'json',
  },
  without: ['id', 'is_blocked', 'ready_priority', 'open_priority'],
})

/** The fields in the order of an insert. */
export const ISSUE_FIELDS = ISSUE.names()

export const recordOf = (trackerKey: TrackerKey, { issue, facts, state }: SavedIssue): IssueRecord => {
  const { comments, ...fields } = issue
  return {
    ...fields,
    ...state,
    trackerKey,
    category: facts.category,
    isOver: facts.isOver,
    hasFailed: facts.hasFailed,
    isHidden: facts.isHidden,
    createdMs: facts.createdAt,
    updatedMs: facts.updatedAt,
    closedMs: facts.closedAt,
    dueMs: facts.dueAt,
    deferMs: facts.deferUntil,
    dependencyCount: issue.dependencies.filter(({ type }) => type === 'blocks').length,
    commentCount: comments.length,
    parentId: facts.parents[0] ?? null,
  }
}

export const recordValues = (record: IssueRecord): Value[] => ISSUE.values(record, ISSUE_FIELDS)

/** Columns of a select from `issues i`, for `toStored`. */
export const STORED_COLUMNS = `i.id as "key", i.is_blocked as "isBlocked", ${ISSUE.select('i')}`

export type SelectedIssue = { key: IssueKey; isBlocked: number }

/** A row of `STORED_COLUMNS` as what it stands for; comments are read apart. */
export function toStored(row: object, comments: FullIssue['comments'] = []): StoredIssue {
  const { key, isBlocked, ...record } = ISSUE.read({ ...row } as SelectedIssue)
  const {
    category: _category,
    isOver: _over,
    hasFailed: _failed,
    isHidden: _hidden,
    createdMs: _created,
    updatedMs: _updated,
    closedMs: _closed,
    dueMs: _due,
    deferMs: _defer,
    dependencyCount: _dependencies,
    commentCount: _comments,
    parentId: _parent,
    ...issue
  } = record
  return { ...issue, comments, key, isBlocked: isBlocked !== 0 }
}

export const TRACKER = columnsOf<Tracker>()('trackers', {
  named: { key: 'id' },
  kept: { style: 'json', stamp: 'json', formerStamp: 'json', statuses: 'json' },
  without: [],
})
export const TRACKER_COLUMNS = TRACKER.select('t')
