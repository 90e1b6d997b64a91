import type { ColumnType, Generated } from 'kysely'
import type { ShellState } from '../domain/shell'
import type { IssueSchema } from './issue-schema'
import type { MessageSchema } from './message-schema'
import type { TaskSchema } from './task-schema'
import type { TodoSchema } from './todo-schema'

/**
 * The tables as Kysely sees them, one interface per table of `migrations/`. Both databases give the same JavaScript values:
 * integers as `number`, bytes as `Uint8Array`, times as milliseconds, JSON as text, booleans as 0 and 1.
 */
export interface Schema extends TaskSchema, IssueSchema, TodoSchema, MessageSchema {
  schema_migrations: SchemaMigrationsTable
  hosts: HostsTable
  projects: ProjectsTable
  sessions: SessionsTable
  session_anchors: { uuid: Uint8Array; session_id: number }
  journals: JournalsTable
  incarnations: IncarnationsTable
  journal_chunks: { incarnation_id: number; offset: number; length: number; body: Uint8Array }
  malformed_lines: { incarnation_id: number; offset: number; length: number; reason: string }
  subagents: SubagentsTable
  conversation_events: ConversationEventsTable
  event_text: EventTextTable
  tool_uses: ToolUsesTable
  usage_messages: UsageMessagesTable
  usage_totals: UsageTotalsTable
  record_kinds: RecordKindsTable
  tombstones: { kind: 'session' | 'path'; value: string; at: number }
  feed: FeedTable
  shell_processes: ShellProcessesTable
  need_dismissals: { need_id: string; at: number; dismissed_by: string }
}

interface SchemaMigrationsTable {
  number: number
  name: string
  applied_at: number
}

interface HostsTable {
  id: Generated<number>
  name: string
  hostname: string
  created_at: number
  last_seen_at: number
}

interface ProjectsTable {
  id: Generated<number>
  host_id: number
  root: string
  remote: string | null
  name: string
  created_at: number
}

interface SessionsTable {
  id: Generated<number>
  agent: string
  native_id: string
  host_id: number
  project_id: number | null
  cwd: string | null
  title: string | null
  title_rank: Generated<number>
  title_at: number | null
  model: string | null
  model_at: number | null
  agent_version: string | null
  git_branch: string | null
  place_at: number | null
  resumed_from: string | null
  forked_from: string | null
  fork_evidence: string | null
  cleared_from: string | null
  started_at: number | null
  last_event_at: number | null
  activity: 'working' | 'idle' | 'waiting' | 'ended' | null
  activity_at: number | null
  activity_evidence: string | null
  ended_at: number | null
  end_reason: string | null
  process_id: number | null
  process_started: string | null
  process_host_id: number | null
  process_state: 'alive' | 'gone' | null
  process_at: number | null
  file_grew_at: number | null
  live_at: number | null
  root_uuid: Uint8Array | null
  fork_point: Uint8Array | null
  fork_point_at: number | null
  event_count: Generated<number>
  tool_call_count: Generated<number>
  subagent_count: Generated<number>
  compaction_count: Generated<number>
  malformed_count: Generated<number>
  created_at: number
}

interface JournalsTable {
  id: Generated<number>
  host_id: number
  agent: string
  kind: string
  path: string
  session_id: number | null
  subagent_native_id: string | null
  created_at: number
}

interface IncarnationsTable {
  id: Generated<number>
  journal_id: number
  number: number
  device: number | null
  inode: number | null
  size: Generated<number>
  parsed: Generated<number>
  head_length: Generated<number>
  head_hash: Uint8Array | null
  tail_length: Generated<number>
  tail_hash: Uint8Array | null
  own_from_at: number | null
  malformed_count: Generated<number>
  restored_from: number | null
  restored_length: Generated<number>
  opened_at: number
  grew_at: number | null
  closed_at: number | null
  close_reason: string | null
}

interface SubagentsTable {
  id: Generated<number>
  session_id: number
  native_id: string
  kind: Generated<'agent' | 'shell' | 'monitor' | 'internal'>
  tool_use_id: string | null
  link_rank: number | null
  evidence: Generated<string>
  parent_native_id: string | null
  depth: number | null
  type: string | null
  description: string | null
  prompt: string | null
  model: string | null
  is_background: number | null
  output_file: string | null
  first_started_at: number | null
  last_started_at: number | null
  end_status: 'completed' | 'failed' | 'killed' | null
  end_at: number | null
  end_evidence: string | null
  result: string | null
  hook_started_at: number | null
  hook_end_status: 'completed' | 'failed' | 'killed' | null
  hook_end_at: number | null
  hook_end_evidence: string | null
  hook_result: string | null
  last_text: string | null
  last_text_at: number | null
  final_at: number | null
  turn_at: number | null
  first_event_at: number | null
  last_event_at: number | null
  event_count: Generated<number>
  tool_call_count: Generated<number>
}

interface ShellProcessesTable {
  session_id: number
  native_id: string
  process_id: number | null
  process_started: string | null
  state: ShellState
  at: number
}

interface ConversationEventsTable {
  id: Generated<number>
  session_id: number
  uuid: Uint8Array
  /** `null` = none, or not known. */
  parent_uuid: Uint8Array | null
  at: number
  type: string
  role: string
  subagent_id: number | null
  parent_tool_use_id: string | null
  tool_use_id: string | null
  tool_name: string | null
  text: string | null
  /** 1 inherited, 2 text is cut. */
  flags: number
  incarnation_id: number
  offset: number
  length: number
}

/** The full-text index: an FTS5 table on SQLite (`rowid` = event id), a tsvector table on PostgreSQL. */
interface EventTextTable {
  /** SQLite. */
  rowid: number
  /** PostgreSQL. */
  event_id: number
  /** PostgreSQL. */
  session_id: number
}

interface ToolUsesTable {
  session_id: number
  tool_use_id: string
  name: string | null
  subagent_id: number | null
  called_at: number | null
  ended_at: number | null
  /** 0 | 1 | 2: by the CLI, since the session had ended before the call was answered. `null` = no answer yet. */
  is_error: number | null
  launch: string | null
}

interface UsageCounts {
  input: number
  output: number
  cache_read: number
  cache_creation: number
  cache_creation_1h: number
  web_searches: number
}

interface UsageMessagesTable extends UsageCounts {
  session_id: number
  message_id: string
  subagent_id: number
  model: string
  at: number | null
}

interface UsageTotalsTable extends UsageCounts {
  session_id: number
  /** 0 = the main thread. */
  subagent_id: number
  model: string
  messages: number
}

interface RecordKindsTable {
  agent: string
  journal_kind: string
  name: string
  is_known: number
  count: number
  version: string | null
  last_seen_at: number
}

interface FeedTable {
  /** The database fills it: SQLite at once, PostgreSQL by its sequencer (NULL until then). */
  seq: ColumnType<number, never, never>
  at: number
  kind: string
  session_id: number | null
  session_native_id: string | null
  data: string
}
