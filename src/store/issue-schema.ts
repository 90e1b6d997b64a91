import type { ColumnType, Generated } from 'kysely'

/** The tables of `migrations/0003-issues.ts`, as Kysely sees them. */
export interface IssueSchema {
  trackers: TrackersTable
  issues: IssuesTable
  issue_dependencies: {
    issue_id: number
    tracker_id: number
    depends_on: string
    type: string
    is_any_gate: number
  }
  issue_parents: { issue_id: number; tracker_id: number; parent: string }
  issue_labels: { issue_id: number; tracker_id: number; label: string }
  issue_comments: {
    id: Generated<number>
    issue_id: number
    native_id: string
    author: string
    created_text: string
    text: string
  }
  issue_history: {
    id: Generated<number>
    issue_id: number
    at: number
    actor: string
    event: string
    old: string | null
    new: string | null
    session_native_id: string | null
  }
  issue_claims: {
    issue_id: number
    holder: string
    session_native_id: string | null
    agent_public_id: string | null
    since: number
    gone_at: number | null
  }
  issue_kept_lines: {
    id: Generated<number>
    tracker_id: number
    line: number
    kind: 'tombstone' | 'other' | 'header' | 'blank' | 'duplicate'
    native_id: string | null
    raw: string
  }
}

interface TrackersTable {
  id: Generated<number>
  host_name: string | null
  path: string | null
  prefix: string
  style: string | null
  stamp: string | null
  former_stamp: string | null
  hash: string | null
  statuses: string
}

interface IssuesTable {
  id: Generated<number>
  tracker_id: number
  public_id: string
  status: string
  category: string | null
  priority: number
  type: string
  is_over: number
  has_failed: number
  is_hidden: number
  is_blocked: number
  is_deleted: number
  is_absent: number
  is_dirty: number
  created_at: number | null
  updated_at: number | null
  closed_at: number | null
  due_at: number | null
  defer_until: number | null
  dependency_count: number
  comment_count: number
  parent_public_id: string | null
  assignee: string | null
  owner: string | null
  estimated_minutes: number | null
  created_text: string
  updated_text: string
  started_text: string | null
  closed_text: string | null
  due_text: string | null
  defer_text: string | null
  created_by: string | null
  close_reason: string | null
  closed_by_session: string | null
  active_session: string | null
  external_ref: string | null
  source_system: string | null
  spec_id: string | null
  title: string
  labels: string
  dependencies: string
  extra: string
  description: string
  design: string
  acceptance_criteria: string
  notes: string
  raw: string | null
  /** The database derives these two. */
  ready_priority: ColumnType<number | null, never, never>
  open_priority: ColumnType<number | null, never, never>
}
