import type { Generated } from 'kysely'
import type { IssueLinkSource } from '../domain/session-issue'

/** Tables of to-dos, and of the links between sessions and issues. */
export interface TodoSchema {
  todo_lists: TodoListsTable
  todo_changes: TodoChangesTable
  todos: TodosTable
  todo_files: { native_list: string; file: string; body: string }
  session_mentions: {
    session_id: number
    source: Extract<IssueLinkSource, 'prompt' | 'branch' | 'environment'>
    place: string
    word: string
    at: number
  }
  session_issue_choices: {
    session_native_id: string
    issue_id: number
    is_linked: number
    at: number
    decided_by: string
  }
  todo_ends: { session_native_id: string; at: number }
  todo_promotions: {
    todo_id: string
    session_native_id: string
    issue_id: number
    at: number
    settled_at: number | null
  }
  todo_takers: { todo_id: string; session_native_id: string; at: number }
  session_issue_views: { session_native_id: string; issue_id: number; at: number }
}

interface TodoListsTable {
  id: Generated<number>
  session_id: number
  name: string
  subagent_id: number | null
  /** The agent's own id of a list that sessions share, `<name>@<host>`. */
  native_list: string | null
  /** When that was said last. */
  native_list_at: number | null
  /** Items beyond the limit. */
  left_out: Generated<number>
}

interface TodoChangesTable {
  list_id: number
  tool_use_id: string
  at: number | null
  source: number
  subagent_id: number | null
  body: string
}

interface TodosTable {
  id: string
  list_id: number
  session_id: number
  subagent_id: number | null
  native_id: string | null
  ordinal: number
  content: string
  active_form: string | null
  description: string | null
  owner: string | null
  blocked_by: string
  status: 'pending' | 'in_progress' | 'completed' | 'removed'
  created_at: number | null
  updated_at: number | null
  completed_at: number | null
  /** JSON list of `TodoChangeEntry`. */
  history: Generated<string>
  changed_subagent_id: number | null
  changed_session_id: number | null
}
