import type { IssueKey, TrackerKey } from '../../domain/ids'
import type { FullIssue } from '../../domain/issue'
import type { SavedIssue, StoredIssue } from '../../domain/issue-store'
import type { Value } from '../record/program'
import { Columns } from '../tasks/columns'

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

export const ISSUE = new Columns<IssueRecord>({
  trackerKey: 'tracker_id',
  id: 'public_id',
  status: 'status',
  category: 'category',
  priority: 'priority',
  issueType: 'type',
  isOver: ['is_over', 'flag'],
  hasFailed: ['has_failed', 'flag'],
  isHidden: ['is_hidden', 'flag'],
  isDeleted: ['is_deleted', 'flag'],
  isAbsent: ['is_absent', 'flag'],
  isDirty: ['is_dirty', 'flag'],
  createdMs: 'created_at',
  updatedMs: 'updated_at',
  closedMs: 'closed_at',
  dueMs: 'due_at',
  deferMs: 'defer_until',
  dependencyCount: 'dependency_count',
  commentCount: 'comment_count',
  parentId: 'parent_public_id',
  assignee: 'assignee',
  owner: 'owner',
  estimatedMinutes: 'estimated_minutes',
  createdAt: 'created_text',
  updatedAt: 'updated_text',
  startedAt: 'started_text',
  closedAt: 'closed_text',
  dueAt: 'due_text',
  deferUntil: 'defer_text',
  createdBy: 'created_by',
  closeReason: 'close_reason',
  closedBySession: 'closed_by_session',
  activeTaskSession: 'active_session',
  externalRef: 'external_ref',
  sourceSystem: 'source_system',
  specId: 'spec_id',
  title: 'title',
  labels: ['labels', 'json'],
  dependencies: ['dependencies', 'json'],
  extra: ['extra', 'json'],
  description: 'description',
  design: 'design',
  acceptanceCriteria: 'acceptance_criteria',
  notes: 'notes',
  raw: 'raw',
})

/** The fields in the order of an insert. */
export const ISSUE_FIELDS = [
  'trackerKey',
  'id',
  'status',
  'category',
  'priority',
  'issueType',
  'isOver',
  'hasFailed',
  'isHidden',
  'isDeleted',
  'isAbsent',
  'isDirty',
  'createdMs',
  'updatedMs',
  'closedMs',
  'dueMs',
  'deferMs',
  'dependencyCount',
  'commentCount',
  'parentId',
  'assignee',
  'owner',
  'estimatedMinutes',
  'createdAt',
  'updatedAt',
  'startedAt',
  'closedAt',
  'dueAt',
  'deferUntil',
  'createdBy',
  'closeReason',
  'closedBySession',
  'activeTaskSession',
  'externalRef',
  'sourceSystem',
  'specId',
  'title',
  'labels',
  'dependencies',
  'extra',
  'description',
  'design',
  'acceptanceCriteria',
  'notes',
  'raw',
] as const satisfies readonly (keyof IssueRecord)[]

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
