import type { FullIssue } from '../../domain/issue/issue'
import { ISSUE_FIELDS, issueFieldKeys } from '../../domain/issue/issue-fields'

/** The keys of an issue's line in the order in which beads writes them, old ones included. Others go where they stood. */
export const KEY_ORDER = [
  '_type',
  'id',
  'content_hash',
  'title',
  'description',
  'design',
  'acceptance_criteria',
  'notes',
  'spec_id',
  'status',
  'priority',
  'issue_type',
  'assignee',
  'owner',
  'estimated_minutes',
  'created_at',
  'created_by',
  'updated_at',
  'started_at',
  'closed_at',
  'close_reason',
  'closed_by_session',
  'active_task_session',
  'due_at',
  'defer_until',
  'external_ref',
  'source_system',
  'source_repo',
  'metadata',
  'compaction_level',
  'compacted_at',
  'compacted_at_commit',
  'original_size',
  'labels',
  'dependencies',
  'comments',
  'deleted_at',
  'deleted_by',
  'delete_reason',
  'original_type',
  'sender',
  'ephemeral',
  'no_history',
  'wisp_type',
  'wisp',
  'pinned',
  'is_template',
  'bonded_from',
  'await_type',
  'await_id',
  'timeout',
  'waiters',
  'source_formula',
  'source_location',
  'mol_type',
  'work_type',
  'event_kind',
  'actor',
  'target',
  'payload',
  'dependency_count',
  'dependent_count',
  'comment_count',
  'parent',
] as const

export const RANK: ReadonlyMap<string, number> = new Map(KEY_ORDER.map((key, rank) => [key, rank]))

/** Worked out from other lines or other keys; never part of an issue. */
export const COMPUTED_KEYS = ['dependency_count', 'dependent_count', 'comment_count', 'parent'] as const

type TextField = {
  [K in keyof FullIssue]: FullIssue[K] extends string | null ? K : never
}[keyof FullIssue]

/** Fields that are plain texts in both; a missing one is `''` or `null`, as the field has it. */
export const TEXT_KEYS: readonly (readonly [key: string, field: TextField])[] = [
  ['title', 'title'],
  ['status', 'status'],
  ['issue_type', 'issueType'],
  ['created_at', 'createdAt'],
  ['created_by', 'createdBy'],
  ['updated_at', 'updatedAt'],
  ['started_at', 'startedAt'],
  ['closed_at', 'closedAt'],
  ['close_reason', 'closeReason'],
  ['closed_by_session', 'closedBySession'],
  ['active_task_session', 'activeTaskSession'],
  ['source_system', 'sourceSystem'],
  ...(issueFieldKeys.filter(([, name]) => ISSUE_FIELDS[name].kind !== 'minutes') as [string, TextField][]),
]

/** All keys that have a field; whatever else a line has is `extra`. */
export const FIELD_KEYS: ReadonlySet<string> = new Set([
  'id',
  'priority',
  'estimated_minutes',
  'labels',
  'dependencies',
  'comments',
  ...TEXT_KEYS.map(([key]) => key),
])

/** Written also when empty. */
export const ALWAYS_WRITTEN: ReadonlySet<string> = new Set([
  'id',
  'title',
  'status',
  'priority',
  'issue_type',
  'created_at',
  'updated_at',
])
