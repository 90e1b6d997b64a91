/**
 * Tasks and workers: agents, tasks with their dependencies, offers and rejections, attempts with their leases, questions, what
 * is said to runs, logs, the minimal tracker, remembered answers.
 *
 * Sessions are named by their own ids, with no reference: a session that is forgotten leaves its tasks as they are.
 */
import type { Migration, SqlWords } from '../migration'

/** Still to be taken, or to go on. */
const WAITING = `('backlog', 'unassigned', 'pending', 'paused')`

const up = (t: SqlWords): string[] => [
  `create table agents (
    id ${t.key},
    public_id ${t.bytewise} not null unique,
    name text not null unique,
    kind text not null, -- lead | worker
    hostname text,
    host_name text, -- hosts.name
    capabilities text not null, -- JSON list
    concurrency ${t.int} not null,
    boot_id text,
    limited_until ${t.int},
    token_hash ${t.blob} unique, -- sha-256
    version text,
    last_seen_at ${t.int},
    created_at ${t.int} not null
  )`,

  // What tasks ask of agents, each set once: an index over tasks has the number, however long the set is.
  `create table capability_sets (
    id ${t.key},
    digest text not null unique, -- sha-256 of capabilities, hex
    capabilities text not null -- JSON list, sorted, without doubles: equal sets are equal texts
  )`,
  // The empty set, which most tasks have.
  `insert into capability_sets (id, digest, capabilities)
    values (0, '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945', '[]')`,

  // Long texts stand last: what comes before them is read without walking over them.
  `create table tasks (
    id ${t.key},
    public_id ${t.bytewise} not null unique,
    status text not null,
    priority ${t.int} not null,
    agent_id ${t.int} references agents(id),
    assigned_by text, -- caller | affinity | offer | claim
    offered_to ${t.int} references agents(id), -- offers.agent_id while one stands
    capability_set ${t.int} not null references capability_sets(id),
    waiting_for text, -- dependency | parent | retry | limit | time
    unmet_count ${t.int} not null, -- dependencies that are not completed
    not_before ${t.int},
    paused_by text, -- person | shutdown | limit
    parent_id ${t.int} references tasks(id),
    parent_task_id ${t.bytewise}, -- public id; may name no task
    depth ${t.int} not null,
    epic_id text, -- public id of an issue
    issue_id text,
    session_native_id text, -- the session that owns it
    last_session_native_id text, -- conversation of the newest attempt
    next_session_native_id text, -- what the next attempt is to resume
    spawned_session_native_id text,
    spawned_tool_use_id text,
    creator_agent_id ${t.int} references agents(id),
    continuity text not null, -- continue | fresh
    continue_now ${t.int} not null,
    on_dependency_failure text not null, -- fail | wait
    start_rung text,
    failure_class text,
    finished_by text,
    attempt_count ${t.int} not null,
    tries_used ${t.int} not null,
    lost_count ${t.int} not null,
    max_turns ${t.int},
    max_cost_usd double precision,
    timeout_ms ${t.int},
    cost_usd double precision,
    is_worktree ${t.int} not null,
    worktree_base text,
    created_at ${t.int} not null,
    updated_at ${t.int} not null,
    started_at ${t.int},
    finished_at ${t.int},
    progress_at ${t.int},
    source text not null,
    task_type text,
    model text,
    permission_mode text,
    retry_policy text not null, -- JSON
    required_capabilities text not null, -- JSON list: capability_sets.capabilities
    tags text not null, -- JSON list
    dir text,
    title text not null,
    reason text not null,
    dispatch_reason text,
    failure_reason text,
    progress text,
    text text not null,
    output text,
    -- Who may take it now, as far as the row can tell: 0 = any agent, else that one; null = nobody.
    open_to ${t.int} generated always as (
      case when status in ('unassigned', 'pending') and waiting_for is null and unmet_count = 0
        then case when agent_id is null then coalesce(offered_to, 0)
                  when offered_to is null or offered_to = agent_id then agent_id end
      end) stored,
    -- Its place in the queue, for lists; null = it is not in it.
    queue_priority ${t.int} generated always as (case when status in ${WAITING} then priority end) stored,
    -- When it is to be woken; null = not by its time.
    due_at ${t.int} generated always as (
      case when (status = 'pending' and waiting_for in ('retry', 'limit', 'time')) or (status = 'paused' and paused_by = 'limit')
        then not_before
      end) stored
  )`,
  // A claim reads this one alone: tasks that nobody may take now are not in it, and each set of capabilities is a stretch of it.
  `create index tasks_open on tasks (open_to, capability_set, priority desc, id) where open_to is not null`,
  `create index tasks_due on tasks (due_at) where due_at is not null`,
  `create index tasks_status on tasks (status, id)`,
  `create index tasks_queue on tasks (queue_priority desc, id) where queue_priority is not null`,
  `create index tasks_offered on tasks (offered_to, id) where offered_to is not null`,
  `create index tasks_agent on tasks (agent_id, id) where agent_id is not null`,
  `create index tasks_affine on tasks (agent_id) where assigned_by in ('affinity', 'offer') and status in ('backlog', 'unassigned', 'pending')`,
  `create index tasks_shut_down on tasks (agent_id) where status = 'paused' and paused_by = 'shutdown'`,
  `create index tasks_parent on tasks (parent_id, id) where parent_id is not null`,
  `create index tasks_parent_awaited on tasks (parent_id) where waiting_for = 'parent'`,
  `create index tasks_parent_unknown on tasks (parent_task_id, id) where parent_id is null and parent_task_id is not null`,
  `create index tasks_epic on tasks (epic_id, status, id) where epic_id is not null`,
  `create index tasks_issue on tasks (issue_id, id) where issue_id is not null`,
  `create index tasks_session on tasks (session_native_id, id) where session_native_id is not null`,

  `create table task_dependencies (
    task_id ${t.int} not null references tasks(id),
    depends_on ${t.int} not null references tasks(id),
    primary key (task_id, depends_on)
  ) ${t.withoutRowid}`,
  `create index task_dependencies_on on task_dependencies (depends_on, task_id)`,

  `create table attempts (
    id ${t.key},
    public_id ${t.bytewise} not null unique,
    task_id ${t.int} not null references tasks(id),
    number ${t.int} not null, -- the fencing token
    agent_id ${t.int} not null references agents(id),
    boot_id text,
    host_name text, -- hosts.name
    token_hash ${t.blob} not null unique, -- sha-256
    dispatch_reason text not null,
    wish text, -- cancel | pause
    wish_reason text,
    lease_ms ${t.int} not null,
    lease_expires_at ${t.int}, -- null once it ended
    conversation text, -- JSON of AttemptConversation
    cwd text,
    branch text,
    base text,
    cli_version text,
    pid ${t.int},
    pid_started text,
    started_at ${t.int} not null,
    ended_at ${t.int}, -- null while it is live
    outcome text,
    failure_class text,
    failure_reason text,
    exit_code ${t.int},
    signal text,
    num_turns ${t.int},
    cost_usd double precision,
    usage text, -- JSON
    unique (task_id, number)
  )`,
  // Unique: whatever a program decides, a task never has two live attempts. Leases that ran out are found along it too: live
  // attempts are few, and an index on their ends would be written with every renewal.
  `create unique index attempts_live on attempts (task_id) where ended_at is null`,
  `create index attempts_live_agent on attempts (agent_id) where ended_at is null`,

  `create table offers (
    task_id ${t.int} primary key references tasks(id),
    agent_id ${t.int} not null references agents(id),
    expires_at ${t.int} not null
  )`,
  `create index offers_expiry on offers (expires_at)`,
  `create table rejections (
    task_id ${t.int} not null references tasks(id),
    agent_id ${t.int} not null references agents(id),
    reason text,
    at ${t.int} not null,
    primary key (task_id, agent_id)
  ) ${t.withoutRowid}`,

  `create table questions (
    id ${t.key},
    public_id ${t.bytewise} not null unique,
    attempt_id ${t.int} not null references attempts(id),
    task_id ${t.int} not null references tasks(id),
    tool_use_id text,
    tool_name text not null,
    status text not null, -- open | answered | expired | withdrawn
    default_behavior text not null, -- allow | deny
    deadline ${t.int} not null,
    behavior text,
    message text,
    answered_by text,
    asked_at ${t.int} not null,
    answered_at ${t.int},
    is_taken ${t.int} not null, -- the worker has the answer
    is_cut ${t.int} not null,
    description text,
    input text not null -- JSON, or its beginning
  )`,
  `create index questions_task on questions (task_id, id)`,
  `create index questions_status on questions (status, id)`,
  `create index questions_deadline on questions (deadline) where status = 'open'`,
  `create index questions_open on questions (attempt_id) where status = 'open'`,
  `create index questions_untaken on questions (attempt_id) where is_taken = 0 and status in ('answered', 'expired')`,

  `create table task_inputs (
    id ${t.key},
    uuid ${t.bytewise} not null unique,
    task_id ${t.int} not null references tasks(id),
    urgency text not null, -- now | next
    status text not null, -- queued | sent | delivered
    created_at ${t.int} not null,
    text text not null
  )`,
  `create index task_inputs_queued on task_inputs (task_id, id) where status = 'queued'`,

  `create table task_log (
    id ${t.key},
    task_id ${t.int} not null references tasks(id),
    at ${t.int} not null,
    attempt ${t.int}, -- its number
    kind text not null,
    text text not null
  )`,
  `create index task_log_task on task_log (task_id, id)`,

  `create table issues (
    id ${t.key},
    public_id ${t.bytewise} not null unique,
    type text not null,
    title text not null,
    description text not null,
    status text not null,
    priority ${t.int} not null, -- 0 (highest) to 4
    parent_id ${t.int} references issues(id),
    created_at ${t.int} not null,
    updated_at ${t.int} not null
  )`,
  `create index issues_type on issues (type, id)`,

  // What a create with an Idempotency-Key answered.
  `create table idempotency_keys (
    id ${t.key},
    scope text not null, -- route and caller
    "key" text not null,
    request_hash text not null,
    answer text not null,
    created_at ${t.int} not null,
    unique (scope, "key")
  )`,
  `create index idempotency_keys_age on idempotency_keys (created_at)`,

  // When a server last looked at leases; one row.
  `create table lease_clock (at ${t.int} not null)`,
  `insert into lease_clock (at) values (0)`,
]

const down = (): string[] =>
  [
    'lease_clock',
    'idempotency_keys',
    'issues',
    'task_log',
    'task_inputs',
    'questions',
    'rejections',
    'offers',
    'attempts',
    'task_dependencies',
    'tasks',
    'capability_sets',
    'agents',
  ].map((x) => `drop table ${x}`)

export const tasksMigration: Migration = { number: 2, name: 'tasks', up, down }
