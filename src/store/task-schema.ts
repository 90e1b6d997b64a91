import type { ColumnType, Generated } from 'kysely'
import type { FailureClass, OnChildDone, Pauser, Task, TaskLogKind, TaskStatus, Wait } from '../domain/task'

/** The tables of `migrations/0002-tasks.ts`, as Kysely sees them. */
export interface TaskSchema {
  agents: AgentsTable
  capability_sets: { id: Generated<number>; digest: string; capabilities: string }
  tasks: TasksTable
  task_dependencies: { task_id: number; depends_on: number }
  attempts: AttemptsTable
  offers: { task_id: number; agent_id: number; expires_at: number }
  rejections: { task_id: number; agent_id: number; reason: string | null; at: number }
  questions: QuestionsTable
  task_log: TaskLogTable
  idempotency_keys: {
    id: Generated<number>
    scope: string
    key: string
    request_hash: string
    answer: string
    created_at: number
  }
  lease_clock: { at: number }
}

interface AgentsTable {
  id: Generated<number>
  public_id: string
  name: string
  kind: 'lead' | 'worker'
  hostname: string | null
  host_name: string | null
  capabilities: string
  concurrency: number
  boot_id: string | null
  limited_until: number | null
  token_hash: Uint8Array | null
  version: string | null
  last_seen_at: number | null
  created_at: number
  instructions: string | null
  model: string | null
  description: string | null
}

interface TasksTable {
  id: Generated<number>
  public_id: string
  status: TaskStatus
  priority: number
  agent_id: number | null
  assigned_by: Task['assignedBy']
  offered_to: number | null
  capability_set: number
  waiting_for: Wait | null
  unmet_count: number
  not_before: number | null
  paused_by: Pauser | null
  parent_id: number | null
  parent_task_id: string | null
  depth: number
  epic_id: string | null
  issue_id: string | null
  session_native_id: string | null
  last_session_native_id: string | null
  next_session_native_id: string | null
  spawned_session_native_id: string | null
  spawned_tool_use_id: string | null
  creator_agent_id: number | null
  continuity: Task['continuity']
  continue_now: number
  on_dependency_failure: Task['onDependencyFailure']
  start_rung: 'preamble' | 'fresh' | null
  failure_class: FailureClass | null
  finished_by: Task['finishedBy']
  attempt_count: number
  tries_used: number
  lost_count: number
  max_turns: number | null
  max_cost_usd: number | null
  timeout_ms: number | null
  cost_usd: number | null
  is_worktree: number
  worktree_base: string | null
  created_at: number
  updated_at: number
  started_at: number | null
  finished_at: number | null
  progress_at: number | null
  source: string
  task_type: string | null
  model: string | null
  permission_mode: string | null
  retry_policy: string
  required_capabilities: string
  tags: string
  dir: string | null
  title: string
  reason: string
  dispatch_reason: string | null
  failure_reason: string | null
  progress: string | null
  text: string
  output: string | null
  /** The database derives these three. */
  queue_priority: ColumnType<number | null, never, never>
  open_to: ColumnType<number | null, never, never>
  due_at: ColumnType<number | null, never, never>
  reply_to: string | null
  on_child_done: OnChildDone | null
  plan_id: string | null
  plan_key: string | null
  specialist: string | null
}

interface AttemptsTable {
  id: Generated<number>
  public_id: string
  task_id: number
  number: number
  agent_id: number
  boot_id: string | null
  host_name: string | null
  token_hash: Uint8Array
  dispatch_reason: string
  wish: 'cancel' | 'pause' | null
  wish_reason: string | null
  lease_ms: number
  lease_expires_at: number | null
  conversation: string | null
  cwd: string | null
  branch: string | null
  base: string | null
  cli_version: string | null
  pid: number | null
  pid_started: string | null
  started_at: number
  ended_at: number | null
  outcome: string | null
  failure_class: FailureClass | null
  failure_reason: string | null
  exit_code: number | null
  signal: string | null
  num_turns: number | null
  cost_usd: number | null
  usage: string | null
}

interface QuestionsTable {
  id: Generated<number>
  public_id: string
  attempt_id: number
  task_id: number
  tool_use_id: string | null
  tool_name: string
  status: 'open' | 'answered' | 'expired' | 'withdrawn'
  default_behavior: 'allow' | 'deny'
  deadline: number
  behavior: 'allow' | 'deny' | null
  message: string | null
  answered_by: string | null
  asked_at: number
  answered_at: number | null
  is_taken: number
  is_cut: number
  description: string | null
  input: string
}

interface TaskLogTable {
  id: Generated<number>
  task_id: number
  at: number
  attempt: number | null
  kind: TaskLogKind
  text: string
}
