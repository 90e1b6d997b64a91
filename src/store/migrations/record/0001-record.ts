/**
 * The record: hosts, projects, sessions, journals, events, sub-agents, to-dos, usage, feed.
 *
 * Written once for both databases: `t` gives the words that differ. Statements run one by one, inside the migration's transaction.
 */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => [
  `create table hosts (
    id ${t.key},
    name text not null unique, -- random id of this installation's machine, kept in LODELINE_HOME
    hostname text not null,
    created_at ${t.int} not null,
    last_seen_at ${t.int} not null
  )`,
  `create table projects (
    id ${t.key},
    host_id ${t.int} not null references hosts(id),
    root text not null, -- git common directory's parent, or the working directory outside git
    remote text,
    name text not null,
    created_at ${t.int} not null,
    unique (host_id, root)
  )`,
  `create table sessions (
    id ${t.key},
    agent text not null,
    native_id text not null,
    host_id ${t.int} not null references hosts(id),
    project_id ${t.int} references projects(id),
    cwd text,
    title text,
    title_rank ${t.int} not null default 0, -- 0 none, 1 first prompt, 2 the CLI's own, 3 a person's
    title_at ${t.int},
    model text,
    model_at ${t.int},
    agent_version text,
    git_branch text,
    place_at ${t.int}, -- time of the line that cwd, git_branch and agent_version are from
    resumed_from text, -- native id; may not be recorded (yet)
    forked_from text,
    fork_evidence text,
    started_at ${t.int},
    last_event_at ${t.int},
    -- the newest signal of activity and what gave it; status is derived from these when read
    activity text, -- working | idle | waiting | ended
    activity_at ${t.int},
    activity_evidence text,
    ended_at ${t.int},
    end_reason text,
    -- presence of the CLI's process, as last looked at
    process_id ${t.int},
    process_started text,
    process_state text, -- alive | gone | null = never seen
    process_at ${t.int},
    file_grew_at ${t.int}, -- when we last saw a journal of it grow
    root_uuid ${t.blob}, -- uuid of the main transcript's first line: shared by all forks of a conversation
    fork_point ${t.blob}, -- uuid of the last inherited line
    fork_point_at ${t.int},
    event_count ${t.int} not null default 0,
    tool_call_count ${t.int} not null default 0,
    subagent_count ${t.int} not null default 0,
    compaction_count ${t.int} not null default 0,
    malformed_count ${t.int} not null default 0,
    created_at ${t.int} not null,
    unique (native_id, agent) -- in this order, since a person names the id alone
  )`,
  `create index sessions_recent on sessions ((coalesce(last_event_at, 0)), id)`,
  `create index sessions_project on sessions (project_id, (coalesce(last_event_at, 0)), id) where project_id is not null`,
  `create index sessions_root on sessions (root_uuid) where root_uuid is not null`,
  `create index sessions_forked on sessions (forked_from) where forked_from is not null`,
  // Uuids at which a copied conversation can begin: first line and each compaction boundary of every main transcript.
  `create table session_anchors (
    uuid ${t.blob} not null,
    session_id ${t.int} not null references sessions(id) on delete cascade,
    primary key (uuid, session_id)
  ) ${t.withoutRowid}`,
  `create index session_anchors_session on session_anchors (session_id)`,

  `create table journals (
    id ${t.key},
    host_id ${t.int} not null references hosts(id),
    agent text not null,
    kind text not null,
    path text not null,
    session_id ${t.int} references sessions(id) on delete cascade,
    subagent_native_id text,
    created_at ${t.int} not null,
    unique (host_id, path)
  )`,
  `create index journals_session on journals (session_id) where session_id is not null`,
  `create table incarnations (
    id ${t.key},
    journal_id ${t.int} not null references journals(id) on delete cascade,
    number ${t.int} not null, -- 1, 2, … within the journal
    device ${t.int},
    inode ${t.int},
    size ${t.int} not null default 0, -- bytes stored
    parsed ${t.int} not null default 0, -- bytes parsed: always the end of a whole line
    head_length ${t.int} not null default 0, -- up to 1,024
    head_hash ${t.blob},
    tail_length ${t.int} not null default 0, -- up to 4,096, ends at size
    tail_hash ${t.blob},
    own_from_at ${t.int}, -- time of its first record that is never copied
    malformed_count ${t.int} not null default 0,
    restored_from ${t.int} references incarnations(id), -- whose bytes are its first restored_length bytes
    restored_length ${t.int} not null default 0,
    opened_at ${t.int} not null,
    grew_at ${t.int},
    closed_at ${t.int}, -- null = the file as it stands
    close_reason text, -- rewritten | replaced | truncated | deleted
    unique (journal_id, number)
  )`,
  // Before an incarnation goes, the database looks for those restored from it.
  `create index incarnations_restored on incarnations (restored_from) where restored_from is not null`,
  `create table journal_chunks (
    incarnation_id ${t.int} not null references incarnations(id) on delete cascade,
    "offset" ${t.int} not null,
    length ${t.int} not null, -- bytes before compression
    body ${t.blob} not null, -- zstd
    primary key (incarnation_id, "offset")
  ) ${t.withoutRowid}`,
  // Broken lines, by place: what the parser could not read is still in the chunks.
  `create table malformed_lines (
    incarnation_id ${t.int} not null references incarnations(id) on delete cascade,
    "offset" ${t.int} not null,
    length ${t.int} not null,
    reason text not null,
    primary key (incarnation_id, "offset")
  ) ${t.withoutRowid}`,

  `create table subagents (
    id ${t.key},
    session_id ${t.int} not null references sessions(id) on delete cascade,
    native_id text not null,
    kind text not null default 'agent', -- agent | shell | monitor | internal
    tool_use_id text,
    link_rank ${t.int}, -- position of the evidence in LINK_EVIDENCE; lower is stronger
    evidence text not null default '[]', -- JSON: every [source, toolUseId] seen
    parent_native_id text, -- as the CLI named it
    depth ${t.int}, -- as the CLI named it
    type text,
    description text,
    prompt text,
    model text,
    is_background ${t.int}, -- 0 | 1 | null = unknown
    output_file text,
    first_started_at ${t.int},
    last_started_at ${t.int},
    end_status text,
    end_at ${t.int},
    end_evidence text,
    result text,
    -- what hooks said, apart: early news, that may not change what the lines say later
    hook_started_at ${t.int},
    hook_end_status text,
    hook_end_at ${t.int},
    hook_end_evidence text,
    hook_result text,
    last_text text, -- its newest words: its result, once it has ended
    last_text_at ${t.int},
    first_event_at ${t.int},
    last_event_at ${t.int},
    event_count ${t.int} not null default 0,
    tool_call_count ${t.int} not null default 0,
    unique (session_id, native_id)
  )`,
  // Sub-agents are few beside events, so these two may begin with a random id: they find the session when only the id is given.
  `create index subagents_native on subagents (native_id)`,
  `create index subagents_tool_use on subagents (tool_use_id, session_id) where tool_use_id is not null`,

  `create table conversation_events (
    id ${t.key},
    session_id ${t.int} not null references sessions(id) on delete cascade,
    uuid ${t.blob} not null,
    at ${t.int} not null, -- the line's own time, or that of the line before it in the file
    type text not null,
    role text not null,
    subagent_id ${t.int}, -- null = main thread
    parent_tool_use_id text, -- null = main thread or launch not (yet) seen
    tool_use_id text,
    tool_name text,
    text text,
    flags ${t.int} not null, -- 1 inherited, 2 text is cut
    incarnation_id ${t.int} not null,
    "offset" ${t.int} not null,
    length ${t.int} not null,
    unique (session_id, uuid)
  )`,
  `create index conversation_events_time on conversation_events (session_id, at)`,
  // `at` so that a page of one node's events is read along the index: without it SQLite walked the whole session by time.
  `create index conversation_events_parent on conversation_events (session_id, parent_tool_use_id, at) where parent_tool_use_id is not null`,
  `create index conversation_events_tool on conversation_events (session_id, tool_use_id) where tool_use_id is not null`,
  `create index conversation_events_subagent on conversation_events (session_id, subagent_id, at) where subagent_id is not null`,
  ...t.fullText,

  `create table tool_uses (
    session_id ${t.int} not null references sessions(id) on delete cascade,
    tool_use_id text not null,
    name text,
    subagent_id ${t.int}, -- the node that made the call; null = main thread
    called_at ${t.int},
    ended_at ${t.int},
    is_error ${t.int},
    launch text, -- JSON of Launch: only of calls that may launch a sub-agent or background task
    primary key (session_id, tool_use_id)
  ) ${t.withoutRowid}`,

  // Calls without an answer yet: few of many, and what a live tree shows.
  `create index tool_uses_open on tool_uses (session_id) where ended_at is null`,

  `create table usage_messages (
    session_id ${t.int} not null references sessions(id) on delete cascade,
    message_id text not null,
    subagent_id ${t.int} not null, -- 0 = main thread
    model text not null,
    input ${t.int} not null,
    output ${t.int} not null,
    cache_read ${t.int} not null,
    cache_creation ${t.int} not null,
    cache_creation_1h ${t.int} not null,
    web_searches ${t.int} not null,
    at ${t.int},
    primary key (session_id, message_id)
  ) ${t.withoutRowid}`,
  // Sums of usage_messages by node and model, kept in the same transaction: a list of sessions reads these alone.
  `create table usage_totals (
    session_id ${t.int} not null references sessions(id) on delete cascade,
    subagent_id ${t.int} not null,
    model text not null,
    messages ${t.int} not null,
    input ${t.int} not null,
    output ${t.int} not null,
    cache_read ${t.int} not null,
    cache_creation ${t.int} not null,
    cache_creation_1h ${t.int} not null,
    web_searches ${t.int} not null,
    primary key (session_id, subagent_id, model)
  ) ${t.withoutRowid}`,

  `create table todo_lists (
    id ${t.key},
    session_id ${t.int} not null references sessions(id) on delete cascade,
    name text not null, -- 'tasks' for the task tools' list, 'todo' or 'todo:<agent>' for TodoWrite
    subagent_id ${t.int},
    unique (session_id, name)
  )`,
  // The agent's changes as they were made; a list is a fold over them, so that order and path of arrival don't matter.
  `create table todo_changes (
    list_id ${t.int} not null references todo_lists(id) on delete cascade,
    tool_use_id text not null,
    at ${t.int},
    source ${t.int} not null, -- 0 hook, 1 transcript or stream: the better one is kept
    subagent_id ${t.int},
    body text not null, -- JSON of TodoChange
    primary key (list_id, tool_use_id)
  ) ${t.withoutRowid}`,
  `create table todos (
    id text primary key,
    list_id ${t.int} not null references todo_lists(id) on delete cascade,
    session_id ${t.int} not null references sessions(id) on delete cascade,
    subagent_id ${t.int},
    native_id text,
    ordinal ${t.int} not null,
    content text not null,
    active_form text,
    description text,
    owner text,
    blocked_by text not null, -- JSON list of native ids
    status text not null,
    created_at ${t.int},
    updated_at ${t.int},
    completed_at ${t.int}
  ) ${t.withoutRowid}`,
  `create index todos_session on todos (session_id)`,
  `create index todos_list on todos (list_id)`,

  `create table record_kinds (
    agent text not null,
    journal_kind text not null,
    name text not null,
    is_known ${t.int} not null,
    count ${t.int} not null,
    version text,
    last_seen_at ${t.int} not null,
    primary key (agent, journal_kind, name)
  ) ${t.withoutRowid}`,
  // What was forgotten stays forgotten: the collector skips these.
  `create table tombstones (
    kind text not null, -- session | path
    value text not null,
    at ${t.int} not null,
    primary key (kind, value)
  ) ${t.withoutRowid}`,
  ...t.feed,
]

const down = (t: SqlWords): string[] => [
  ...t.dropFeed,
  ...[
    'tombstones',
    'record_kinds',
    'todos',
    'todo_changes',
    'todo_lists',
    'usage_totals',
    'usage_messages',
    'tool_uses',
  ].map((x) => `drop table ${x}`),
  ...t.dropFullText,
  ...[
    'conversation_events',
    'subagents',
    'malformed_lines',
    'journal_chunks',
    'incarnations',
    'journals',
    'session_anchors',
    'sessions',
    'projects',
    'hosts',
  ].map((x) => `drop table ${x}`),
]

export const recordMigration: Migration = { number: 1, name: 'record', up, down }
