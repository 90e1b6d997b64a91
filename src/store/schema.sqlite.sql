-- Written by test/store-contract/dump-schema.ts from src/store/migrations. Don't edit.

CREATE TABLE address_aliases (
    alias text primary key,
    address text not null,
    evidence text not null,
    at integer not null
  ) without rowid;

CREATE INDEX address_aliases_address on address_aliases (address);

CREATE TABLE agent_dirs (
    agent_id integer not null references agents(id) on delete cascade,
    dir text not null, -- absolute, without a slash at its end
    primary key (agent_id, dir)
  );

CREATE TABLE agents (
    id integer primary key,
    public_id text not null unique,
    name text not null unique,
    kind text not null, -- lead | worker
    hostname text,
    host_name text, -- hosts.name
    capabilities text not null, -- JSON list
    concurrency integer not null,
    boot_id text,
    limited_until integer,
    token_hash blob unique, -- sha-256
    version text,
    last_seen_at integer,
    created_at integer not null
  , instructions text, model text, description text, host_key_hash blob, max_permission_mode text, clis text, cli_limits text not null default '{}', falls_over integer not null default 0, machine text, draining_since integer, removed_at integer, account text, restart_asked_at integer);

CREATE TABLE attachments (
    id integer primary key,
    public_id text not null unique,
    address text not null,
    client text not null,
    host text not null,
    attached_at integer not null,
    last_seen_at integer not null,
    detached_at integer
  );

CREATE INDEX attachments_address on attachments (address) where detached_at is null;

CREATE TRIGGER usage_of_attempt after insert on attempts when cast(json_extract(new.conversation, '$.sessionId') as text) is not null begin
      delete from usage_tasks where session_id in (select s.id from sessions s where s.native_id = cast(json_extract(new.conversation, '$.sessionId') as text)) and (not exists (select 1 from attempts o where cast(json_extract(o.conversation, '$.sessionId') as text) = cast(json_extract(new.conversation, '$.sessionId') as text)
        and o.id <> new.id and (o.started_at < new.started_at or (o.started_at = new.started_at and o.id < new.id)))
      or exists (select 1 from sessions s join usage_messages u on u.session_id = s.id
        where s.native_id = cast(json_extract(new.conversation, '$.sessionId') as text) and u.at >= new.started_at));
      insert into usage_tasks (task_id, session_id, model, messages, input, output, cache_read, cache_creation, cache_creation_1h, web_searches, stated_nano_usd, last_at)
      select coalesce(
      (select a.task_id from attempts a where cast(json_extract(a.conversation, '$.sessionId') as text) = s.native_id and a.started_at <= u.at order by a.started_at desc, a.id desc limit 1),
      (select a.task_id from attempts a where cast(json_extract(a.conversation, '$.sessionId') as text) = s.native_id order by a.started_at, a.id limit 1)), u.session_id, u.model, cast(sum(1) as bigint), cast(sum(u.input) as bigint), cast(sum(u.output) as bigint), cast(sum(u.cache_read) as bigint), cast(sum(u.cache_creation) as bigint), cast(sum(u.cache_creation_1h) as bigint), cast(sum(u.web_searches) as bigint), cast(sum(u.stated_nano_usd) as bigint), max(u.at)
        from sessions s join usage_messages u on u.session_id = s.id
       where s.native_id = cast(json_extract(new.conversation, '$.sessionId') as text) and exists (select 1 from attempts a where cast(json_extract(a.conversation, '$.sessionId') as text) = s.native_id) and not exists (select 1 from usage_tasks k where k.session_id = s.id) group by 1, 2, 3;
    end;

CREATE TRIGGER usage_of_named_session after update of conversation on attempts when cast(json_extract(old.conversation, '$.sessionId') as text) is null and cast(json_extract(new.conversation, '$.sessionId') as text) is not null begin
      delete from usage_tasks where session_id in (select s.id from sessions s where s.native_id = cast(json_extract(new.conversation, '$.sessionId') as text)) and (not exists (select 1 from attempts o where cast(json_extract(o.conversation, '$.sessionId') as text) = cast(json_extract(new.conversation, '$.sessionId') as text)
        and o.id <> new.id and (o.started_at < new.started_at or (o.started_at = new.started_at and o.id < new.id)))
      or exists (select 1 from sessions s join usage_messages u on u.session_id = s.id
        where s.native_id = cast(json_extract(new.conversation, '$.sessionId') as text) and u.at >= new.started_at));
      insert into usage_tasks (task_id, session_id, model, messages, input, output, cache_read, cache_creation, cache_creation_1h, web_searches, stated_nano_usd, last_at)
      select coalesce(
      (select a.task_id from attempts a where cast(json_extract(a.conversation, '$.sessionId') as text) = s.native_id and a.started_at <= u.at order by a.started_at desc, a.id desc limit 1),
      (select a.task_id from attempts a where cast(json_extract(a.conversation, '$.sessionId') as text) = s.native_id order by a.started_at, a.id limit 1)), u.session_id, u.model, cast(sum(1) as bigint), cast(sum(u.input) as bigint), cast(sum(u.output) as bigint), cast(sum(u.cache_read) as bigint), cast(sum(u.cache_creation) as bigint), cast(sum(u.cache_creation_1h) as bigint), cast(sum(u.web_searches) as bigint), cast(sum(u.stated_nano_usd) as bigint), max(u.at)
        from sessions s join usage_messages u on u.session_id = s.id
       where s.native_id = cast(json_extract(new.conversation, '$.sessionId') as text) and exists (select 1 from attempts a where cast(json_extract(a.conversation, '$.sessionId') as text) = s.native_id) and not exists (select 1 from usage_tasks k where k.session_id = s.id) group by 1, 2, 3;
    end;

CREATE TRIGGER usage_of_other_session after update of conversation, started_at on attempts when cast(json_extract(old.conversation, '$.sessionId') as text) is not null
        and (cast(json_extract(new.conversation, '$.sessionId') as text) is not cast(json_extract(old.conversation, '$.sessionId') as text) or new.started_at is not old.started_at) begin
      delete from usage_tasks where session_id in (select s.id from sessions s where s.native_id = cast(json_extract(old.conversation, '$.sessionId') as text));
        insert into usage_tasks (task_id, session_id, model, messages, input, output, cache_read, cache_creation, cache_creation_1h, web_searches, stated_nano_usd, last_at)
      select coalesce(
      (select a.task_id from attempts a where cast(json_extract(a.conversation, '$.sessionId') as text) = s.native_id and a.started_at <= u.at order by a.started_at desc, a.id desc limit 1),
      (select a.task_id from attempts a where cast(json_extract(a.conversation, '$.sessionId') as text) = s.native_id order by a.started_at, a.id limit 1)), u.session_id, u.model, cast(sum(1) as bigint), cast(sum(u.input) as bigint), cast(sum(u.output) as bigint), cast(sum(u.cache_read) as bigint), cast(sum(u.cache_creation) as bigint), cast(sum(u.cache_creation_1h) as bigint), cast(sum(u.web_searches) as bigint), cast(sum(u.stated_nano_usd) as bigint), max(u.at)
        from sessions s join usage_messages u on u.session_id = s.id
       where s.native_id = cast(json_extract(old.conversation, '$.sessionId') as text) and exists (select 1 from attempts a where cast(json_extract(a.conversation, '$.sessionId') as text) = s.native_id) group by 1, 2, 3;
        delete from usage_tasks where session_id in (select s.id from sessions s where s.native_id = cast(json_extract(new.conversation, '$.sessionId') as text));
        insert into usage_tasks (task_id, session_id, model, messages, input, output, cache_read, cache_creation, cache_creation_1h, web_searches, stated_nano_usd, last_at)
      select coalesce(
      (select a.task_id from attempts a where cast(json_extract(a.conversation, '$.sessionId') as text) = s.native_id and a.started_at <= u.at order by a.started_at desc, a.id desc limit 1),
      (select a.task_id from attempts a where cast(json_extract(a.conversation, '$.sessionId') as text) = s.native_id order by a.started_at, a.id limit 1)), u.session_id, u.model, cast(sum(1) as bigint), cast(sum(u.input) as bigint), cast(sum(u.output) as bigint), cast(sum(u.cache_read) as bigint), cast(sum(u.cache_creation) as bigint), cast(sum(u.cache_creation_1h) as bigint), cast(sum(u.web_searches) as bigint), cast(sum(u.stated_nano_usd) as bigint), max(u.at)
        from sessions s join usage_messages u on u.session_id = s.id
       where s.native_id = cast(json_extract(new.conversation, '$.sessionId') as text) and exists (select 1 from attempts a where cast(json_extract(a.conversation, '$.sessionId') as text) = s.native_id) group by 1, 2, 3;
    end;

CREATE TRIGGER usage_without_attempt after delete on attempts when cast(json_extract(old.conversation, '$.sessionId') as text) is not null begin
      delete from usage_tasks where session_id in (select s.id from sessions s where s.native_id = cast(json_extract(old.conversation, '$.sessionId') as text));
        insert into usage_tasks (task_id, session_id, model, messages, input, output, cache_read, cache_creation, cache_creation_1h, web_searches, stated_nano_usd, last_at)
      select coalesce(
      (select a.task_id from attempts a where cast(json_extract(a.conversation, '$.sessionId') as text) = s.native_id and a.started_at <= u.at order by a.started_at desc, a.id desc limit 1),
      (select a.task_id from attempts a where cast(json_extract(a.conversation, '$.sessionId') as text) = s.native_id order by a.started_at, a.id limit 1)), u.session_id, u.model, cast(sum(1) as bigint), cast(sum(u.input) as bigint), cast(sum(u.output) as bigint), cast(sum(u.cache_read) as bigint), cast(sum(u.cache_creation) as bigint), cast(sum(u.cache_creation_1h) as bigint), cast(sum(u.web_searches) as bigint), cast(sum(u.stated_nano_usd) as bigint), max(u.at)
        from sessions s join usage_messages u on u.session_id = s.id
       where s.native_id = cast(json_extract(old.conversation, '$.sessionId') as text) and exists (select 1 from attempts a where cast(json_extract(a.conversation, '$.sessionId') as text) = s.native_id) group by 1, 2, 3;
    end;

CREATE TRIGGER work_of_attempt after insert on attempts when cast(json_extract(new.conversation, '$.sessionId') as text) is not null begin
      insert into work_sessions (session_id, root_id, project_id, root_project_id)
     select s.id, w.root_id, s.project_id, r.project_id
       from attempts a join sessions s on s.native_id = cast(json_extract(a.conversation, '$.sessionId') as text)
         join work_tasks w on w.task_id = a.task_id join work_roots r on r.root_id = w.root_id
      where a.id = new.id on conflict do nothing;
    update work_roots set heard_at = (select max(s.last_event_at) from attempts a join sessions s on s.native_id = cast(json_extract(a.conversation, '$.sessionId') as text) where a.id = new.id) where heard_at < (select max(s.last_event_at) from attempts a join sessions s on s.native_id = cast(json_extract(a.conversation, '$.sessionId') as text) where a.id = new.id)
     and root_id = (select w.root_id from work_tasks w where w.task_id = new.task_id);
    end;

CREATE TRIGGER work_of_other_session after update of conversation on attempts when cast(json_extract(new.conversation, '$.sessionId') as text) is not cast(json_extract(old.conversation, '$.sessionId') as text) begin
      delete from work_sessions
    where root_id = (select w.root_id from work_tasks w where w.task_id = old.task_id)
      and session_id in (select s.id from sessions s where s.native_id = cast(json_extract(old.conversation, '$.sessionId') as text))
      and not exists (select 1 from attempts a join work_tasks w on w.task_id = a.task_id
        where cast(json_extract(a.conversation, '$.sessionId') as text) = cast(json_extract(old.conversation, '$.sessionId') as text) and w.root_id = work_sessions.root_id);
        insert into work_sessions (session_id, root_id, project_id, root_project_id)
     select s.id, w.root_id, s.project_id, r.project_id
       from attempts a join sessions s on s.native_id = cast(json_extract(a.conversation, '$.sessionId') as text)
         join work_tasks w on w.task_id = a.task_id join work_roots r on r.root_id = w.root_id
      where a.id = new.id on conflict do nothing;
    update work_roots set heard_at = (select max(s.last_event_at) from attempts a join sessions s on s.native_id = cast(json_extract(a.conversation, '$.sessionId') as text) where a.id = new.id) where heard_at < (select max(s.last_event_at) from attempts a join sessions s on s.native_id = cast(json_extract(a.conversation, '$.sessionId') as text) where a.id = new.id)
     and root_id = (select w.root_id from work_tasks w where w.task_id = new.task_id);
    end;

CREATE TRIGGER work_without_attempt after delete on attempts when cast(json_extract(old.conversation, '$.sessionId') as text) is not null begin
      delete from work_sessions
    where root_id = (select w.root_id from work_tasks w where w.task_id = old.task_id)
      and session_id in (select s.id from sessions s where s.native_id = cast(json_extract(old.conversation, '$.sessionId') as text))
      and not exists (select 1 from attempts a join work_tasks w on w.task_id = a.task_id
        where cast(json_extract(a.conversation, '$.sessionId') as text) = cast(json_extract(old.conversation, '$.sessionId') as text) and w.root_id = work_sessions.root_id);
    end;

CREATE TABLE attempts (
    id integer primary key,
    public_id text not null unique,
    task_id integer not null references tasks(id),
    number integer not null, -- the fencing token
    agent_id integer not null references agents(id),
    boot_id text,
    host_name text, -- hosts.name
    token_hash blob not null unique, -- sha-256
    dispatch_reason text not null,
    wish text, -- cancel | pause
    wish_reason text,
    lease_ms integer not null,
    lease_expires_at integer, -- null once it ended
    conversation text, -- JSON of AttemptConversation
    cwd text,
    branch text,
    base text,
    cli_version text,
    pid integer,
    pid_started text,
    started_at integer not null,
    ended_at integer, -- null while it is live
    outcome text,
    failure_class text,
    failure_reason text,
    exit_code integer,
    signal text,
    num_turns integer,
    cost_usd double precision,
    usage text, agent_cli text, -- JSON
    unique (task_id, number)
  );

CREATE UNIQUE INDEX attempts_live on attempts (task_id) where ended_at is null;

CREATE INDEX attempts_live_agent on attempts (agent_id) where ended_at is null;

CREATE INDEX attempts_session on attempts  ((cast(json_extract(conversation, '$.sessionId') as text)));

CREATE TABLE audit_head (number integer not null, hash text not null);

CREATE TABLE audit_lines (
    number integer not null unique,
    at integer not null,
    act text not null,
    actor_kind text not null,
    actor_name text,
    peer text,
    target text,
    detail text not null,
    before text not null,
    hash text not null
  );

CREATE TABLE budget_holds (
    task_id integer not null primary key references tasks(id) on delete cascade,
    budget text not null,
    until integer
  );

CREATE INDEX budget_holds_budget on budget_holds (budget);

CREATE TABLE budgets (
    id integer primary key,
    name text not null unique,
    project text, -- key in the tree
    agent_cli text,
    subagent text,
    task_id text, -- public ID
    period text not null, -- day | month | ever
    zone text not null,
    unit text not null, -- usd | tokens
    most double precision not null,
    action text not null, -- warn | ask | park
    extra double precision not null,
    extra_until integer,
    used double precision,
    used_until integer,
    is_estimate integer not null,
    counted_at integer,
    over_since integer,
    created_at integer not null
  );

CREATE TABLE capability_sets (
    id integer primary key,
    digest text not null unique, -- sha-256 of capabilities, hex
    capabilities text not null -- JSON list, sorted, without doubles: equal sets are equal texts
  , clis text not null default '[]', share text not null default '');

CREATE TABLE conversation_events (
    id integer primary key,
    session_id integer not null references sessions(id) on delete cascade,
    uuid blob not null,
    at integer not null, -- the line's own time, or that of the line before it in the file
    type text not null,
    role text not null,
    subagent_id integer, -- null = main thread
    parent_tool_use_id text, -- null = main thread or launch not (yet) seen
    tool_use_id text,
    tool_name text,
    text text,
    flags integer not null, -- 1 inherited, 2 text is cut
    incarnation_id integer not null,
    "offset" integer not null,
    length integer not null, parent_uuid blob,
    unique (session_id, uuid)
  );

CREATE INDEX conversation_events_failed on conversation_events (session_id, at) where type = 'error';

CREATE INDEX conversation_events_main on conversation_events (session_id, at)
    where subagent_id is null and parent_tool_use_id is null and length >= 0;

CREATE INDEX conversation_events_parent on conversation_events (session_id, parent_tool_use_id, at) where parent_tool_use_id is not null;

CREATE INDEX conversation_events_subagent on conversation_events (session_id, subagent_id, at) where subagent_id is not null;

CREATE INDEX conversation_events_time on conversation_events (session_id, at);

CREATE INDEX conversation_events_tool on conversation_events (session_id, tool_use_id) where tool_use_id is not null;

CREATE INDEX conversation_events_turn on conversation_events (session_id, at)
    where subagent_id is null and type in ('prompt', 'notice', 'compaction');

CREATE TABLE database_epoch (epoch text not null);

CREATE VIRTUAL TABLE event_text using fts5(text, output, content='', contentless_delete=1, tokenize="porter unicode61 remove_diacritics 2");

CREATE TABLE feed (
      seq integer primary key autoincrement,
      at integer not null,
      kind text not null,
      session_id integer,
      session_native_id text,
      data text not null
    );

CREATE TABLE handoffs (
      id text primary key,
      at integer not null,
      session_native_id text,
      folder text not null,
      issue_id text,
      goal text not null,
      state text not null,
      evidence text not null,
      next text not null,
      note text not null,
      given_to text,
      given_at integer
    );

CREATE INDEX handoffs_at on handoffs (at);

CREATE INDEX handoffs_session on handoffs (session_native_id);

CREATE TABLE hosts (
    id integer primary key,
    name text not null unique, -- random id of this installation's machine, kept in LODELINE_HOME
    hostname text not null,
    created_at integer not null,
    last_seen_at integer not null
  );

CREATE TABLE idempotency_keys (
    id integer primary key,
    scope text not null, -- route and caller
    "key" text not null,
    request_hash text not null,
    answer text not null,
    created_at integer not null,
    unique (scope, "key")
  );

CREATE INDEX idempotency_keys_age on idempotency_keys (created_at);

CREATE TABLE inbox (
    id integer primary key,
    public_id text not null unique,
    source text not null,
    external_id text, -- the source's own id
    once_key text not null, -- the same again is the same message
    thread_key text,
    sender text not null,
    status text not null, -- new | delegated | replied | closed
    told_to text, -- the lead's address
    received_at integer not null,
    answered_at integer,
    text text not null,
    unique (source, once_key)
  );

CREATE INDEX inbox_new on inbox (source, id) where status = 'new';

CREATE INDEX inbox_status on inbox (status, id);

CREATE INDEX inbox_thread on inbox (source, thread_key, id) where thread_key is not null;

CREATE TABLE inbox_replies (
    id integer primary key,
    public_id text not null unique,
    inbox_id integer not null references inbox(id),
    source text not null,
    author text not null,
    status text not null, -- waiting | sent | failed
    tries integer not null,
    next_at integer, -- of its callback
    error text,
    created_at integer not null,
    text text not null
  );

CREATE INDEX inbox_replies_due on inbox_replies (next_at) where status = 'waiting' and next_at is not null;

CREATE INDEX inbox_replies_inbox on inbox_replies (inbox_id, id);

CREATE INDEX inbox_replies_waiting on inbox_replies (source, id) where status = 'waiting';

CREATE TABLE inbox_sources (
    id integer primary key,
    name text not null unique,
    secret text not null, -- signs in both directions, so it is kept as it is
    callback text,
    lead_address text,
    created_at integer not null
  , auto_delegate integer not null default 0);

CREATE TABLE inbox_tasks (
    id integer primary key,
    inbox_id integer not null references inbox(id),
    task_public_id text not null,
    at integer not null,
    unique (inbox_id, task_public_id)
  );

CREATE INDEX inbox_tasks_task on inbox_tasks (task_public_id);

CREATE TABLE incarnations (
    id integer primary key,
    journal_id integer not null references journals(id) on delete cascade,
    number integer not null, -- 1, 2, … within the journal
    device integer,
    inode integer,
    size integer not null default 0, -- bytes stored
    parsed integer not null default 0, -- bytes parsed: always the end of a whole line
    head_length integer not null default 0, -- up to 1,024
    head_hash blob,
    tail_length integer not null default 0, -- up to 4,096, ends at size
    tail_hash blob,
    own_from_at integer, -- time of its first record that is never copied
    malformed_count integer not null default 0,
    restored_from integer references incarnations(id), -- whose bytes are its first restored_length bytes
    restored_length integer not null default 0,
    opened_at integer not null,
    grew_at integer,
    closed_at integer, -- null = the file as it stands
    close_reason text, carry text, -- rewritten | replaced | truncated | deleted
    unique (journal_id, number)
  );

CREATE INDEX incarnations_restored on incarnations (restored_from) where restored_from is not null;

CREATE TABLE issue_claims (
    issue_id integer primary key references issues(id),
    holder text not null,
    session_native_id text,
    agent_public_id text,
    since integer not null,
    gone_at integer
  );

CREATE INDEX issue_claims_session on issue_claims (session_native_id) where session_native_id is not null;

CREATE TABLE issue_comments (
    id integer primary key,
    issue_id integer not null references issues(id),
    native_id text not null,
    author text not null,
    created_text text not null,
    text text not null
  );

CREATE INDEX issue_comments_issue on issue_comments (issue_id, id);

CREATE TABLE issue_dependencies (
    issue_id integer not null references issues(id),
    tracker_id integer not null,
    depends_on text not null, -- public id; may name no issue
    type text not null,
    is_any_gate integer not null, -- of waits-for: the first child that ends sets it free
    primary key (issue_id, depends_on)
  ) without rowid;

CREATE INDEX issue_dependencies_on on issue_dependencies (tracker_id, depends_on, type, issue_id);

CREATE TABLE issue_history (
    id integer primary key,
    issue_id integer not null references issues(id),
    at integer not null,
    actor text not null,
    event text not null,
    old text, -- JSON
    new text
  , session_native_id text);

CREATE INDEX issue_history_issue on issue_history (issue_id, id);

CREATE TABLE issue_kept_lines (
    id integer primary key,
    tracker_id integer not null references trackers(id),
    line integer not null,
    kind text not null,
    native_id text,
    raw text not null
  );

CREATE INDEX issue_kept_lines_tracker on issue_kept_lines (tracker_id, id);

CREATE TABLE issue_labels (
    issue_id integer not null references issues(id),
    tracker_id integer not null,
    label text not null,
    primary key (issue_id, label)
  ) without rowid;

CREATE INDEX issue_labels_by on issue_labels (tracker_id, label, issue_id);

CREATE TABLE issue_parents (
    issue_id integer not null references issues(id),
    tracker_id integer not null,
    parent text not null,
    primary key (issue_id, parent)
  ) without rowid;

CREATE INDEX issue_parents_of on issue_parents (tracker_id, parent, issue_id);

CREATE TABLE issues (
    id integer primary key,
    tracker_id integer not null references trackers(id),
    public_id text not null,
    status text not null,
    category text, -- active | wip | done | frozen
    priority integer not null, -- 0 (highest) to 4
    type text not null,
    is_over integer not null, -- done or pinned: blocks nobody
    has_failed integer not null, -- by its close reason
    is_hidden integer not null, -- never ready work
    is_blocked integer not null, -- by an edge of its own or of a parent's; kept on each write
    is_deleted integer not null,
    is_absent integer not null, -- the file had it and has it no longer
    is_dirty integer not null, -- the file has still to be told
    created_at integer, -- milliseconds, for order; the text below is what was written
    updated_at integer,
    closed_at integer,
    due_at integer,
    defer_until integer,
    dependency_count integer not null, -- edges of type blocks
    comment_count integer not null,
    parent_public_id text, -- the first of issue_parents
    assignee text,
    owner text,
    estimated_minutes double precision,
    created_text text not null,
    updated_text text not null,
    started_text text,
    closed_text text,
    due_text text,
    defer_text text,
    created_by text,
    close_reason text,
    closed_by_session text,
    active_session text,
    external_ref text,
    source_system text,
    spec_id text,
    title text not null,
    labels text not null, -- JSON list
    dependencies text not null, -- JSON list of IssueDependency
    extra text not null, -- JSON: keys of the file that have no column
    description text not null,
    design text not null,
    acceptance_criteria text not null,
    notes text not null,
    raw text, -- the line as the file has it
    -- Its place among ready work; null = it is none, whatever the time.
    ready_priority integer generated always as (
      case when category = 'active' and is_blocked = 0 and is_hidden = 0 and is_deleted = 0 and is_absent = 0 then priority end) stored,
    -- Its place in lists of what is not done.
    open_priority integer generated always as (
      case when (category is null or category <> 'done') and is_deleted = 0 and is_absent = 0 then priority end) stored,
    unique (tracker_id, public_id)
  );

CREATE INDEX issues_closed_by on issues (closed_by_session) where closed_by_session is not null;

CREATE INDEX issues_deferred on issues (defer_until) where defer_until is not null;

CREATE INDEX issues_dirty on issues (tracker_id, id) where is_dirty = 1;

CREATE INDEX issues_open on issues (tracker_id, open_priority, created_at desc, public_id) where open_priority is not null;

CREATE INDEX issues_public_id on issues (public_id);

CREATE INDEX issues_ready on issues (tracker_id, ready_priority, created_at desc, public_id) where ready_priority is not null;

CREATE INDEX issues_type on issues (type, id);

CREATE INDEX issues_updated on issues (tracker_id, updated_at desc, public_id);

CREATE TABLE journal_chunks (
    incarnation_id integer not null references incarnations(id) on delete cascade,
    "offset" integer not null,
    length integer not null, -- bytes before compression
    body blob not null, -- zstd
    primary key (incarnation_id, "offset")
  ) without rowid;

CREATE TABLE journals (
    id integer primary key,
    host_id integer not null references hosts(id),
    agent text not null,
    kind text not null,
    path text not null,
    session_id integer references sessions(id) on delete cascade,
    subagent_native_id text,
    created_at integer not null,
    unique (host_id, path)
  );

CREATE INDEX journals_session on journals (session_id) where session_id is not null;

CREATE TABLE lease_clock (at integer not null);

CREATE TABLE malformed_lines (
    incarnation_id integer not null references incarnations(id) on delete cascade,
    "offset" integer not null,
    length integer not null,
    reason text not null,
    primary key (incarnation_id, "offset")
  ) without rowid;

CREATE TABLE message_lines (
    session_id integer not null references sessions(id) on delete cascade,
    message_id text not null,
    line_uuid blob not null,
    at integer not null,
    followed_at integer, -- when a line of the model followed on that branch
    is_settled integer not null default 0, -- the message knows it
    primary key (message_id, session_id, line_uuid)
  ) without rowid;

CREATE INDEX message_lines_open on message_lines (session_id) where followed_at is null;

CREATE INDEX message_lines_unsettled on message_lines (message_id) where is_settled = 0;

CREATE TABLE message_steps (
    id integer primary key,
    message_seq integer not null references messages(seq),
    at integer not null,
    status text not null,
    route text,
    text text not null
  );

CREATE INDEX message_steps_message on message_steps (message_seq, id);

CREATE TABLE message_waits (
    address text not null,
    call text not null,
    until integer not null,
    primary key (address, call)
  ) without rowid;

CREATE TABLE messages (
    seq integer primary key,
    id text not null unique, -- uuid
    to_address text not null,
    cause text not null,
    kind text not null, -- result | question | answer | status | message
    status text not null, -- produced | queued | delivered | consumed | superseded | withdrawn
    route text,
    target text, -- of the flight: an attempt, a tool call, a process
    from_kind text not null,
    from_address text,
    from_name text not null,
    task_public_id text,
    reply_to text,
    chain integer not null,
    wants_reply integer not null,
    is_cut integer not null,
    full_at text,
    evidence text,
    created_at integer not null,
    queued_at integer,
    delivered_at integer,
    consumed_at integer,
    text text not null, offer text,
    unique (to_address, cause)
  );

CREATE INDEX messages_address on messages (to_address, seq);

CREATE INDEX messages_busy on messages (seq) where status in ('produced', 'queued', 'delivered');

CREATE INDEX messages_delivered on messages (seq) where status = 'delivered';

CREATE INDEX messages_flying on messages (to_address, seq) where status = 'queued';

CREATE INDEX messages_sender on messages (from_address, seq) where from_address is not null;

CREATE INDEX messages_target on messages (target) where status = 'queued';

CREATE INDEX messages_waiting on messages (to_address, seq) where status = 'produced';

CREATE TABLE need_dismissals (
    need_id text primary key,
    at integer not null,
    dismissed_by text not null
  , snoozed_until integer) without rowid;

CREATE INDEX need_dismissals_age on need_dismissals (at);

CREATE TABLE notifications (
    id integer primary key,
    public_id text not null unique,
    channel text not null,
    subject text not null,
    event text not null,
    title text not null,
    path text not null,
    question_id text,
    answer_hash text,
    status text not null, -- waiting | sent | failed | over
    tries integer not null default 0,
    next_at integer,
    error text,
    created_at integer not null,
    settled_at integer,
    text text not null,
    unique (channel, subject)
  );

CREATE INDEX notifications_due on notifications (next_at) where next_at is not null;

CREATE TABLE notify_channels (
    id integer primary key,
    name text not null unique,
    kind text not null,
    target text,
    server text,
    sender text,
    secret text,
    events text not null, -- JSON list
    project text,
    quiet text, -- JSON
    after_ms integer not null,
    created_at integer not null
  );

CREATE TABLE offers (
    task_id integer primary key references tasks(id),
    agent_id integer not null references agents(id),
    expires_at integer not null
  );

CREATE INDEX offers_expiry on offers (expires_at);

CREATE TABLE operator_tokens (
    id integer primary key,
    token_hash blob not null unique,
    home text not null, -- the installation's host-id
    created_at integer not null,
    ended_at integer
  );

CREATE TABLE packing (
    name text not null primary key,
    space text not null, -- the blobs' first folder: no other database deletes there
    until integer not null
  );

CREATE TABLE packs (
    id integer primary key,
    name text not null unique, -- of the blob
    size integer not null default 0, -- 0 = it is being written
    made_at integer not null,
    unused_since integer -- nothing lies in it since
  );

CREATE TABLE plans (
    id integer primary key,
    public_id text not null unique,
    title text not null,
    creator text not null,
    created_at integer not null
  );

CREATE TABLE projects (
    id integer primary key,
    host_id integer not null references hosts(id),
    root text not null, -- git common directory's parent, or the working directory outside git
    remote text,
    name text not null,
    created_at integer not null,
    unique (host_id, root)
  );

CREATE TABLE push_keys (
    id integer primary key, -- always 1
    public_key text not null,
    private_key text not null
  );

CREATE TABLE questions (
    id integer primary key,
    public_id text not null unique,
    attempt_id integer not null references attempts(id),
    task_id integer not null references tasks(id),
    tool_use_id text,
    tool_name text not null,
    status text not null, -- open | answered | expired | withdrawn
    default_behavior text not null, -- allow | deny
    deadline integer not null,
    behavior text,
    message text,
    answered_by text,
    asked_at integer not null,
    answered_at integer,
    is_taken integer not null, -- the worker has the answer
    is_cut integer not null,
    description text,
    input text not null -- JSON, or its beginning
  , call_hash text not null default '');

CREATE INDEX questions_deadline on questions (deadline) where status = 'open';

CREATE INDEX questions_open on questions (attempt_id) where status = 'open';

CREATE INDEX questions_status on questions (status, id);

CREATE INDEX questions_task on questions (task_id, id);

CREATE INDEX questions_untaken on questions (attempt_id) where is_taken = 0 and status in ('answered', 'expired');

CREATE TABLE record_kinds (
    agent text not null,
    journal_kind text not null,
    name text not null,
    is_known integer not null,
    count integer not null,
    version text,
    last_seen_at integer not null,
    primary key (agent, journal_kind, name)
  ) without rowid;

CREATE TABLE registrations (
    address text primary key,
    kind text not null, -- chat | web
    client text,
    hostname text,
    project text,
    title text,
    owner text,
    capabilities text not null, -- JSON list
    metadata text not null, -- JSON
    created_at integer not null,
    last_seen_at integer not null
  ) without rowid;

CREATE TABLE rejections (
    task_id integer not null references tasks(id),
    agent_id integer not null references agents(id),
    reason text,
    at integer not null,
    primary key (task_id, agent_id)
  ) without rowid;

CREATE TABLE request_merges (
      session_id integer not null references sessions(id) on delete cascade,
      request text not null, -- its address, #N in the session's repository, or '' = the newest that the session made before
      tool_use_id text not null, -- of the call that merges it if it goes well; '' = an output says that it is merged
      project_id integer, -- of the session then
      at integer not null,
      primary key (session_id, request, tool_use_id)
    ) without rowid;

CREATE INDEX request_merges_request on request_merges (request, project_id, at);

CREATE TABLE saved_views (
      owner text not null,
      list text not null,
      name text not null,
      search text not null,
      is_shared integer not null, project text,
      primary key (owner, list, name)
    );

CREATE TABLE schema_migrations (
  number bigint primary key,
  name text not null,
  applied_at bigint not null
, min_compatible integer);

CREATE TABLE sealed_chunks (
    incarnation_id integer not null references incarnations(id) on delete cascade,
    "offset" integer not null,
    length integer not null, -- bytes before compression
    pack_id integer not null references packs(id),
    place integer not null, -- in the pack
    stored integer not null, -- bytes in the pack
    key blob not null, -- of these bytes alone
    primary key (incarnation_id, "offset")
  ) without rowid;

CREATE INDEX sealed_chunks_pack on sealed_chunks (pack_id);

CREATE TABLE secret_marks (
    incarnation_id integer not null references incarnations(id) on delete cascade,
    "offset" integer not null,
    length integer not null,
    secret_id integer not null references secrets(id),
    session_id integer references sessions(id) on delete cascade, -- null = a journal of many sessions
    line_uuid blob, -- of its event; null = none
    primary key (incarnation_id, "offset")
  )without rowid;

CREATE INDEX secret_marks_secret on secret_marks (secret_id);

CREATE INDEX secret_marks_session on secret_marks (session_id) where session_id is not null;

CREATE TABLE secret_scans (
    incarnation_id integer primary key references incarnations(id) on delete cascade,
    scanned integer not null,
    rules text not null -- which rules there were
  );

CREATE TABLE secrets (
    id integer primary key,
    public_id text not null unique,
    rule text not null,
    preview text not null, -- its first characters
    first_seen_at integer not null,
    erased_at integer -- null = it stands in journals
  );

CREATE TABLE servers (
    instance text primary key, -- random, new with each start
    host_name text not null,
    version text not null,
    schema_version integer not null, -- the newest migration that it knows and needs
    started_at integer not null,
    seen_at integer not null -- renewed while it works, by the database's clock
  );

CREATE TABLE session_anchors (
    uuid blob not null,
    session_id integer not null references sessions(id) on delete cascade,
    primary key (uuid, session_id)
  ) without rowid;

CREATE INDEX session_anchors_session on session_anchors (session_id);

CREATE TABLE session_files (
    session_id integer not null references sessions(id) on delete cascade,
    path text not null,
    calls integer not null,
    primary key (session_id, path)
  ) without rowid;

CREATE TABLE session_issue_choices (
    session_native_id text not null,
    issue_id integer not null references issues(id),
    is_linked integer not null,
    at integer not null,
    decided_by text not null,
    primary key (session_native_id, issue_id)
  ) without rowid;

CREATE INDEX session_issue_choices_issue on session_issue_choices (issue_id);

CREATE TABLE session_issue_views (
    session_native_id text not null,
    issue_id integer not null references issues(id),
    at integer not null,
    primary key (session_native_id, issue_id)
  ) without rowid;

CREATE TABLE session_mentions (
    session_id integer not null references sessions(id) on delete cascade,
    source text not null, -- prompt | branch | environment
    place text not null, -- uuid of the prompt's event, name of the branch; '' = the environment
    word text not null,
    at integer not null,
    primary key (session_id, source, place, word)
  ) without rowid;

CREATE INDEX session_mentions_word on session_mentions (word, session_id);

CREATE TABLE session_products (
    session_id integer not null references sessions(id) on delete cascade,
    kind text not null, -- commit | pull_request
    name text not null,
    title text,
    at integer not null, -- 0 = not known
    primary key (session_id, kind, name)
  ) without rowid;

CREATE TRIGGER share_of_session after insert on sessions when new.share is null begin
      update sessions set share = (select t.share from tasks t where t.last_session_native_id = new.native_id and t.share is not null order by t.id desc limit 1) where native_id = new.native_id and share is distinct from (select t.share from tasks t where t.last_session_native_id = new.native_id and t.share is not null order by t.id desc limit 1);
    end;

CREATE TRIGGER usage_of_share after update of share on sessions when new.share is not old.share begin
      insert into usage_hours (hour, project_id, agent, share, model, node, messages, input, output, cache_read, cache_creation, cache_creation_1h, web_searches, stated_nano_usd, last_at, is_part, is_worn)
          select case when u.at is null then -9007199254740991 else (u.at - case when u.at < 0 then 3599999 else 0 end) / 3600000 end, new.project_id, new.agent, old.share, u.model,
              case when u.subagent_id = 0 then 'main' else case when n.kind = 'internal' then 'internal' else coalesce(n.kind, 'agent') || ':' || coalesce(n.type, '') end end, cast(sum(-1) as bigint), cast(sum(-u.input) as bigint), cast(sum(-u.output) as bigint), cast(sum(-u.cache_read) as bigint), cast(sum(-u.cache_creation) as bigint), cast(sum(-u.cache_creation_1h) as bigint), cast(sum(-u.web_searches) as bigint), cast(sum(-u.stated_nano_usd) as bigint), max(u.at), 1, 1
            from usage_messages u left join subagents n on n.id = u.subagent_id
           where u.session_id = new.id group by 1, 5, 6;
        insert into usage_hours (hour, project_id, agent, share, model, node, messages, input, output, cache_read, cache_creation, cache_creation_1h, web_searches, stated_nano_usd, last_at, is_part, is_worn)
          select case when u.at is null then -9007199254740991 else (u.at - case when u.at < 0 then 3599999 else 0 end) / 3600000 end, new.project_id, new.agent, new.share, u.model,
              case when u.subagent_id = 0 then 'main' else case when n.kind = 'internal' then 'internal' else coalesce(n.kind, 'agent') || ':' || coalesce(n.type, '') end end, cast(sum(1) as bigint), cast(sum(u.input) as bigint), cast(sum(u.output) as bigint), cast(sum(u.cache_read) as bigint), cast(sum(u.cache_creation) as bigint), cast(sum(u.cache_creation_1h) as bigint), cast(sum(u.web_searches) as bigint), cast(sum(u.stated_nano_usd) as bigint), max(u.at), 1, 0
            from usage_messages u left join subagents n on n.id = u.subagent_id
           where u.session_id = new.id group by 1, 5, 6;
    end;

CREATE TRIGGER work_heard_of_session after update of last_event_at on sessions when new.last_event_at > coalesce(old.last_event_at, -9007199254740991) begin
      update work_roots set heard_at = new.last_event_at where heard_at < new.last_event_at
     and root_id in (select w.root_id from work_sessions w where w.session_id = new.id);
    end;

CREATE TRIGGER work_of_session after insert on sessions  begin
      update work_roots set project_id = (select s.project_id from sessions s where s.native_id = new.native_id limit 1)
    where root_id in (select t.id from tasks t where t.last_session_native_id = new.native_id and t.parent_id is null);
        insert into work_sessions (session_id, root_id, project_id, root_project_id)
     select s.id, w.root_id, s.project_id, r.project_id
       from attempts a join sessions s on s.native_id = cast(json_extract(a.conversation, '$.sessionId') as text)
         join work_tasks w on w.task_id = a.task_id join work_roots r on r.root_id = w.root_id
      where cast(json_extract(a.conversation, '$.sessionId') as text) = new.native_id on conflict do nothing;
        update work_roots set heard_at = new.last_event_at where heard_at < new.last_event_at
     and root_id in (select w.root_id from work_sessions w where w.session_id = new.id);
    end;

CREATE TRIGGER work_session_moved after update of project_id on sessions when new.project_id is not old.project_id begin
      update work_sessions set project_id = new.project_id where session_id = new.id;
        update work_roots set project_id = (select s.project_id from sessions s where s.native_id = new.native_id limit 1)
    where root_id in (select t.id from tasks t where t.last_session_native_id = new.native_id and t.parent_id is null);
    end;

CREATE TRIGGER work_without_session after delete on sessions  begin
      update work_roots set project_id = (select s.project_id from sessions s where s.native_id = old.native_id limit 1)
    where root_id in (select t.id from tasks t where t.last_session_native_id = old.native_id and t.parent_id is null);
    end;

CREATE TABLE sessions (
    id integer primary key,
    agent text not null,
    native_id text not null,
    host_id integer not null references hosts(id),
    project_id integer references projects(id),
    cwd text,
    title text,
    title_rank integer not null default 0, -- 0 none, 1 first prompt, 2 the CLI's own, 3 a person's
    title_at integer,
    model text,
    model_at integer,
    agent_version text,
    git_branch text,
    place_at integer, -- time of the line that cwd, git_branch and agent_version are from
    resumed_from text, -- native id; may not be recorded (yet)
    forked_from text,
    fork_evidence text,
    started_at integer,
    last_event_at integer,
    -- the newest signal of activity and what gave it; status is derived from these when read
    activity text, -- working | idle | waiting | ended
    activity_at integer,
    activity_evidence text,
    ended_at integer,
    end_reason text,
    -- presence of the CLI's process, as last looked at
    process_id integer,
    process_started text,
    process_state text, -- alive | gone | null = never seen
    process_at integer,
    file_grew_at integer, -- when we last saw a journal of it grow
    root_uuid blob, -- uuid of the main transcript's first line: shared by all forks of a conversation
    fork_point blob, -- uuid of the last inherited line
    fork_point_at integer,
    event_count integer not null default 0,
    tool_call_count integer not null default 0,
    subagent_count integer not null default 0,
    compaction_count integer not null default 0,
    malformed_count integer not null default 0,
    created_at integer not null, cleared_from text, process_host_id integer, live_at integer, translated_from text, error_count integer not null default 0, file_count integer not null default 0, token_count integer not null default 0, cost_usd double precision default 0, is_cost_estimate integer not null default 0, last_text text, last_text_at integer, share text,
    unique (native_id, agent) -- in this order, since a person names the id alone
  );

CREATE INDEX sessions_activity on sessions (activity, activity_at) where activity is not null;

CREATE INDEX sessions_alive on sessions (id) where process_state = 'alive';

CREATE INDEX sessions_forked on sessions (forked_from) where forked_from is not null;

CREATE INDEX sessions_in_projects on sessions (project_id, (coalesce(last_event_at, 0)), id, token_count, cost_usd, is_cost_estimate, agent);

CREATE INDEX sessions_recent on sessions ((coalesce(last_event_at, 0)), id);

CREATE INDEX sessions_resumed on sessions (resumed_from) where resumed_from is not null;

CREATE INDEX sessions_root on sessions (root_uuid) where root_uuid is not null;

CREATE INDEX sessions_sums on sessions (agent, project_id, host_id, model, git_branch, error_count, file_count, token_count,
     cost_usd, event_count, tool_call_count, started_at, last_event_at);

CREATE INDEX sessions_translated on sessions (translated_from) where translated_from is not null;

CREATE TABLE shell_processes (
    session_id integer not null references sessions(id) on delete cascade,
    native_id text not null,
    process_id integer,
    process_started text, -- as the system counts it: pids are used again
    state text not null, -- alive | ended (it had outlived its CLI) | gone (it had not) | stopped (by a person)
    at integer not null, -- when that was seen or done
    primary key (session_id, native_id)
  ) without rowid;

CREATE INDEX shell_processes_alive on shell_processes (session_id) where state = 'alive';

CREATE TABLE subagent_marks (
    subagent_id integer not null references subagents(id) on delete cascade,
    mark text not null, -- kind, evidence and time: the same word of a source comes once
    kind text not null, -- start | end
    at integer,
    seen_at integer, -- of an end without a time: it was over by then
    status text,
    evidence text not null,
    tool_use_id text, -- the call that began the run
    trigger_kind text not null,
    result text,
    line blob, -- uuid of the line in which the end stands before whoever reads it
    primary key (subagent_id, mark)
  ) without rowid;

CREATE TABLE subagent_reads (
    session_native_id text not null,
    subagent_native_id text not null,
    run_number integer not null,
    at integer not null,
    marked_by text not null,
    primary key (session_native_id, subagent_native_id, run_number)
  ) without rowid;

CREATE TABLE subagent_runs (
    subagent_id integer not null references subagents(id) on delete cascade,
    number integer not null,
    session_id integer not null references sessions(id) on delete cascade,
    trigger_kind text not null,
    tool_use_id text,
    started_at integer,
    ended_at integer,
    status text, -- completed | failed | killed; null = no end seen
    evidence text not null,
    result text,
    notice_uuid blob, -- the line of the parent's in which its notice or content stands
    noticed_at integer,
    read_at integer,
    read_evidence text,
    -- The state that the manifests were told last; null = none.
    manifest_state text,
    primary key (subagent_id, number)
  ) without rowid;

CREATE INDEX subagent_runs_continued on subagent_runs (session_id, tool_use_id) where number > 1;

CREATE INDEX subagent_runs_ended on subagent_runs (ended_at) where ended_at is not null;

CREATE INDEX subagent_runs_heard on subagent_runs ((coalesce(ended_at, started_at, 0))) where read_at is null;

CREATE INDEX subagent_runs_noticed on subagent_runs (session_id, noticed_at) where read_at is null and notice_uuid is not null;

CREATE INDEX subagent_runs_unread on subagent_runs (session_id, started_at) where read_at is null;

CREATE INDEX subagent_runs_untold on subagent_runs (manifest_state, started_at)
    where coalesce(manifest_state, '') not in ('old', 'none', 'ended', coalesce(status, 'lost'), coalesce(status, 'completed'),
      coalesce(nullif(status, 'failed'), 'killed'));

CREATE TRIGGER usage_of_kind after update of kind, type on subagents when new.kind is not old.kind or new.type is not old.type begin
      insert into usage_hours (hour, project_id, agent, share, model, node, messages, input, output, cache_read, cache_creation, cache_creation_1h, web_searches, stated_nano_usd, last_at, is_part, is_worn)
          select case when u.at is null then -9007199254740991 else (u.at - case when u.at < 0 then 3599999 else 0 end) / 3600000 end, s.project_id, s.agent, s.share, u.model, case when old.kind = 'internal' then 'internal' else coalesce(old.kind, 'agent') || ':' || coalesce(old.type, '') end, cast(sum(-1) as bigint), cast(sum(-u.input) as bigint), cast(sum(-u.output) as bigint), cast(sum(-u.cache_read) as bigint), cast(sum(-u.cache_creation) as bigint), cast(sum(-u.cache_creation_1h) as bigint), cast(sum(-u.web_searches) as bigint), cast(sum(-u.stated_nano_usd) as bigint), max(u.at), 1, 1
            from usage_messages u join sessions s on s.id = u.session_id
           where u.session_id = new.session_id and u.subagent_id = new.id group by 1, 2, 3, 4, 5;
        insert into usage_hours (hour, project_id, agent, share, model, node, messages, input, output, cache_read, cache_creation, cache_creation_1h, web_searches, stated_nano_usd, last_at, is_part, is_worn)
          select case when u.at is null then -9007199254740991 else (u.at - case when u.at < 0 then 3599999 else 0 end) / 3600000 end, s.project_id, s.agent, s.share, u.model, case when new.kind = 'internal' then 'internal' else coalesce(new.kind, 'agent') || ':' || coalesce(new.type, '') end, cast(sum(1) as bigint), cast(sum(u.input) as bigint), cast(sum(u.output) as bigint), cast(sum(u.cache_read) as bigint), cast(sum(u.cache_creation) as bigint), cast(sum(u.cache_creation_1h) as bigint), cast(sum(u.web_searches) as bigint), cast(sum(u.stated_nano_usd) as bigint), max(u.at), 1, 0
            from usage_messages u join sessions s on s.id = u.session_id
           where u.session_id = new.session_id and u.subagent_id = new.id group by 1, 2, 3, 4, 5;
    end;

CREATE TABLE subagents (
    id integer primary key,
    session_id integer not null references sessions(id) on delete cascade,
    native_id text not null,
    kind text not null default 'agent', -- agent | shell | monitor | internal
    tool_use_id text,
    link_rank integer, -- position of the evidence in LINK_EVIDENCE; lower is stronger
    evidence text not null default '[]', -- JSON: every [source, toolUseId] seen
    parent_native_id text, -- as the CLI named it
    depth integer, -- as the CLI named it
    type text,
    description text,
    prompt text,
    model text,
    is_background integer, -- 0 | 1 | null = unknown
    output_file text,
    first_started_at integer,
    last_started_at integer,
    end_status text,
    end_at integer,
    end_evidence text,
    result text,
    -- what hooks said, apart: early news, that may not change what the lines say later
    hook_started_at integer,
    hook_end_status text,
    hook_end_at integer,
    hook_end_evidence text,
    hook_result text,
    last_text text, -- its newest words: its result, once it has ended
    last_text_at integer,
    first_event_at integer,
    last_event_at integer,
    event_count integer not null default 0,
    tool_call_count integer not null default 0, final_at integer, turn_at integer, reported_tokens integer,
    unique (session_id, native_id)
  );

CREATE INDEX subagents_native on subagents (native_id);

CREATE INDEX subagents_not_done on subagents (session_id) where (end_status is null or end_status <> 'completed' or end_evidence in ('transcript:gone', 'meta:finished')
  or end_at < last_started_at or end_at < hook_started_at);

CREATE INDEX subagents_open_shells on subagents (session_id)
    where kind = 'shell' and (end_status is null or end_evidence = 'transcript:gone');

CREATE INDEX subagents_tool_use on subagents (tool_use_id, session_id) where tool_use_id is not null;

CREATE INDEX subagents_unseen on subagents (session_id) where kind = 'agent' and event_count = 0;

CREATE TABLE summed_prices (digest text not null);

CREATE TABLE task_dependencies (
    task_id integer not null references tasks(id),
    depends_on integer not null references tasks(id),
    primary key (task_id, depends_on)
  ) without rowid;

CREATE INDEX task_dependencies_on on task_dependencies (depends_on, task_id);

CREATE TABLE task_log (
    id integer primary key,
    task_id integer not null references tasks(id),
    at integer not null,
    attempt integer, -- its number
    kind text not null,
    text text not null
  );

CREATE INDEX task_log_task on task_log (task_id, id);

CREATE TRIGGER share_of_conversation after update of last_session_native_id, share on tasks when (new.last_session_native_id is not old.last_session_native_id or new.share is not old.share)
      and (new.share is not null or old.share is not null) begin
      update sessions set share = (select t.share from tasks t where t.last_session_native_id = old.last_session_native_id and t.share is not null order by t.id desc limit 1) where native_id = old.last_session_native_id and share is distinct from (select t.share from tasks t where t.last_session_native_id = old.last_session_native_id and t.share is not null order by t.id desc limit 1);
        update sessions set share = (select t.share from tasks t where t.last_session_native_id = new.last_session_native_id and t.share is not null order by t.id desc limit 1) where native_id = new.last_session_native_id and share is distinct from (select t.share from tasks t where t.last_session_native_id = new.last_session_native_id and t.share is not null order by t.id desc limit 1);
    end;

CREATE TRIGGER share_of_task after insert on tasks when new.last_session_native_id is not null and new.share is not null begin
      update sessions set share = (select t.share from tasks t where t.last_session_native_id = new.last_session_native_id and t.share is not null order by t.id desc limit 1) where native_id = new.last_session_native_id and share is distinct from (select t.share from tasks t where t.last_session_native_id = new.last_session_native_id and t.share is not null order by t.id desc limit 1);
    end;

CREATE TRIGGER share_without_task after delete on tasks when old.last_session_native_id is not null and old.share is not null begin
      update sessions set share = (select t.share from tasks t where t.last_session_native_id = old.last_session_native_id and t.share is not null order by t.id desc limit 1) where native_id = old.last_session_native_id and share is distinct from (select t.share from tasks t where t.last_session_native_id = old.last_session_native_id and t.share is not null order by t.id desc limit 1);
    end;

CREATE TRIGGER work_heard_of_task after update of updated_at on tasks when new.updated_at > old.updated_at begin
      update work_roots set heard_at = new.updated_at where heard_at < new.updated_at
     and root_id = (select w.root_id from work_tasks w where w.task_id = new.id);
    end;

CREATE TRIGGER work_moved after update of last_session_native_id, dir on tasks when new.parent_id is null and (new.last_session_native_id is not old.last_session_native_id or new.dir is not old.dir) begin
      update work_roots set dir = new.dir, project_id = (select s.project_id from sessions s where s.native_id = new.last_session_native_id limit 1) where root_id = new.id;
    end;

CREATE TRIGGER work_of_task after insert on tasks  begin
      insert into work_tasks (task_id, root_id) select t.id, coalesce((select w.root_id from work_tasks w where w.task_id = t.parent_id), t.id) from tasks t where t.id = new.id on conflict do nothing;
    end;

CREATE TABLE tasks (
    id integer primary key,
    public_id text not null unique,
    status text not null,
    priority integer not null,
    agent_id integer references agents(id),
    assigned_by text, -- caller | affinity | offer | claim
    offered_to integer references agents(id), -- offers.agent_id while one stands
    capability_set integer not null references capability_sets(id),
    waiting_for text, -- dependency | parent | retry | limit | time
    unmet_count integer not null, -- dependencies that are not completed
    not_before integer,
    paused_by text, -- person | shutdown | limit
    parent_id integer references tasks(id),
    parent_task_id text, -- public id; may name no task
    depth integer not null,
    epic_id text, -- public id of an issue
    issue_id text,
    session_native_id text, -- the session that owns it
    last_session_native_id text, -- conversation of the newest attempt
    next_session_native_id text, -- what the next attempt is to resume
    spawned_session_native_id text,
    spawned_tool_use_id text,
    creator_agent_id integer references agents(id),
    continuity text not null, -- continue | fresh
    continue_now integer not null,
    on_dependency_failure text not null, -- fail | wait
    start_rung text,
    failure_class text,
    finished_by text,
    attempt_count integer not null,
    tries_used integer not null,
    lost_count integer not null,
    max_turns integer,
    max_cost_usd double precision,
    timeout_ms integer,
    cost_usd double precision,
    is_worktree integer not null,
    worktree_base text,
    created_at integer not null,
    updated_at integer not null,
    started_at integer,
    finished_at integer,
    progress_at integer,
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
    open_to integer generated always as (
      case when status in ('unassigned', 'pending') and waiting_for is null and unmet_count = 0
        then case when agent_id is null then coalesce(offered_to, 0)
                  when offered_to is null or offered_to = agent_id then agent_id end
      end) stored,
    -- Its place in the queue, for lists; null = it is not in it.
    queue_priority integer generated always as (case when status in ('backlog', 'unassigned', 'pending', 'paused') then priority end) stored,
    -- When it is to be woken; null = not by its time.
    due_at integer generated always as (
      case when (status = 'pending' and waiting_for in ('retry', 'limit', 'time')) or (status = 'paused' and paused_by = 'limit')
        then not_before
      end) stored
  , reply_to text, on_child_done text, plan_id text, plan_key text, specialist text, agent_clis text not null default '[]', needed_clis text not null default '[]', repository text, share text, fork_at text);

CREATE INDEX tasks_affine on tasks (agent_id) where assigned_by in ('affinity', 'offer') and status in ('backlog', 'unassigned', 'pending');

CREATE INDEX tasks_agent on tasks (agent_id, id) where agent_id is not null;

CREATE INDEX tasks_due on tasks (due_at) where due_at is not null;

CREATE INDEX tasks_ended on tasks (finished_at, status) where finished_at is not null;

CREATE INDEX tasks_epic on tasks (epic_id, status, id) where epic_id is not null;

CREATE INDEX tasks_issue on tasks (issue_id, id) where issue_id is not null;

CREATE INDEX tasks_last_session on tasks (last_session_native_id, id) where last_session_native_id is not null;

CREATE INDEX tasks_lead on tasks (id) where task_type = 'lead';

CREATE INDEX tasks_lost on tasks (id) where lost_count > 0;

CREATE INDEX tasks_offered on tasks (offered_to, id) where offered_to is not null;

CREATE INDEX tasks_open on tasks (open_to, capability_set, priority desc, id) where open_to is not null;

CREATE INDEX tasks_parent on tasks (parent_id, id) where parent_id is not null;

CREATE INDEX tasks_parent_unknown on tasks (parent_task_id, id) where parent_id is null and parent_task_id is not null;

CREATE INDEX tasks_plan on tasks (plan_id, id) where plan_id is not null;

CREATE INDEX tasks_queue on tasks (queue_priority desc, id) where queue_priority is not null;

CREATE INDEX tasks_reply_to on tasks (reply_to, status) where reply_to is not null;

CREATE INDEX tasks_running on tasks (share, needed_clis) where status = 'in_progress';

CREATE INDEX tasks_session on tasks (session_native_id, id) where session_native_id is not null;

CREATE INDEX tasks_shut_down on tasks (agent_id) where status = 'paused' and paused_by = 'shutdown';

CREATE INDEX tasks_status on tasks (status, id);

CREATE TABLE todo_changes (
    list_id integer not null references todo_lists(id) on delete cascade,
    tool_use_id text not null,
    at integer,
    source integer not null, -- 0 hook, 1 transcript or stream: the better one is kept
    subagent_id integer,
    body text not null, -- JSON of TodoChange
    primary key (list_id, tool_use_id)
  ) without rowid;

CREATE TABLE todo_ends (
    session_native_id text primary key,
    at integer not null
  ) without rowid;

CREATE TABLE todo_files (
    native_list text not null,
    file text not null,
    body text not null, -- JSON of TodoChange
    primary key (native_list, file)
  ) without rowid;

CREATE TABLE todo_lists (
    id integer primary key,
    session_id integer not null references sessions(id) on delete cascade,
    name text not null, -- 'tasks' for the task tools' list, 'todo' or 'todo:<agent>' for TodoWrite
    subagent_id integer, native_list text, native_list_at integer, left_out integer not null default 0,
    unique (session_id, name)
  );

CREATE INDEX todo_lists_native on todo_lists (native_list) where native_list is not null;

CREATE TABLE todo_promotions (
    todo_id text primary key,
    session_native_id text not null,
    issue_id integer not null references issues(id),
    at integer not null,
    settled_at integer -- when the issue was closed because the to-do was completed, or need not be
  ) without rowid;

CREATE INDEX todo_promotions_issue on todo_promotions (issue_id);

CREATE INDEX todo_promotions_open on todo_promotions (todo_id) where settled_at is null;

CREATE INDEX todo_promotions_session on todo_promotions (session_native_id);

CREATE TABLE todo_takers (
    todo_id text primary key,
    session_native_id text not null,
    at integer not null
  ) without rowid;

CREATE INDEX todo_takers_session on todo_takers (session_native_id);

CREATE TABLE todos (
    id text primary key,
    list_id integer not null references todo_lists(id) on delete cascade,
    session_id integer not null references sessions(id) on delete cascade,
    subagent_id integer,
    native_id text,
    ordinal integer not null,
    content text not null,
    active_form text,
    description text,
    owner text,
    blocked_by text not null, -- JSON list of native ids
    status text not null,
    created_at integer,
    updated_at integer,
    completed_at integer
  , history text not null default '[]', changed_subagent_id integer, changed_session_id integer) without rowid;

CREATE INDEX todos_list on todos (list_id);

CREATE INDEX todos_session on todos (session_id);

CREATE TABLE tokens (
    id integer primary key,
    public_id text not null unique,
    purpose text not null, -- viewer | operator | worker
    name text not null,
    token_hash blob unique,
    code_hash blob unique,
    code_expires_at integer,
    agent_public_id text,
    created_at integer not null,
    last_used_at integer,
    expires_at integer,
    revoked_at integer
  , user_id integer, made_by integer, shared_session text, shared_from integer, shared_until integer, shared_beside text);

CREATE INDEX tokens_agent on tokens (agent_public_id) where agent_public_id is not null;

CREATE UNIQUE INDEX tokens_worker on tokens (name) where purpose = 'worker' and revoked_at is null;

CREATE TABLE told_changes (
      session_native_id text not null,
      issue_id integer not null,
      up_to integer not null,
      at integer not null,
      primary key (session_native_id, issue_id)
    );

CREATE INDEX told_changes_at on told_changes (at);

CREATE TABLE tombstones (
    kind text not null, -- session | path
    value text not null,
    at integer not null,
    primary key (kind, value)
  ) without rowid;

CREATE TABLE tool_uses (
    session_id integer not null references sessions(id) on delete cascade,
    tool_use_id text not null,
    name text,
    subagent_id integer, -- the node that made the call; null = main thread
    called_at integer,
    ended_at integer,
    is_error integer,
    launch text, files text, -- JSON of Launch: only of calls that may launch a sub-agent or background task
    primary key (session_id, tool_use_id)
  ) without rowid;

CREATE INDEX tool_uses_failed on tool_uses (session_id, ended_at) where is_error = 1;

CREATE INDEX tool_uses_files on tool_uses (session_id) where files is not null;

CREATE INDEX tool_uses_open on tool_uses (session_id) where ended_at is null;

CREATE TABLE trackers (
    id integer primary key,
    host_name text, -- hosts.name
    path text, -- of the file, absolute; null = issues that belong to no folder
    prefix text not null,
    style text, -- JSON of FileStyle
    stamp text, -- JSON of FileStamp: the file as it was when all of it was known to be here
    former_stamp text, -- the same, before our own last write: it tells a write that was cut off by a crash
    hash text,
    statuses text not null, -- JSON list of custom statuses
    unique (host_name, path)
  );

CREATE TABLE usage_hours (
    id integer primary key,
    hour integer not null, -- hours since 1970 in UTC; -2^53 + 1 = not known
    project_id integer,
    agent text not null,
    model text not null,
    node text not null, -- main | internal | KIND:TYPE of a sub-agent
    messages integer not null, input integer not null, output integer not null, cache_read integer not null, cache_creation integer not null, cache_creation_1h integer not null, web_searches integer not null, stated_nano_usd integer not null,
    last_at integer,
    is_part integer not null, -- not swept yet; 2 within the sweep's unit
    is_worn integer not null -- takes messages away: last_at of other rows may be of one that is gone
  , share text);

CREATE INDEX usage_hours_hour on usage_hours (hour);

CREATE INDEX usage_hours_parts on usage_hours (hour) where is_part > 0;

CREATE TABLE usage_messages (
    session_id integer not null references sessions(id) on delete cascade,
    message_id text not null,
    subagent_id integer not null, -- 0 = main thread
    model text not null,
    input integer not null,
    output integer not null,
    cache_read integer not null,
    cache_creation integer not null,
    cache_creation_1h integer not null,
    web_searches integer not null,
    at integer, stated_nano_usd integer not null default 0,
    primary key (session_id, message_id)
  ) without rowid;

CREATE INDEX usage_messages_at on usage_messages (at);

CREATE TABLE usage_sessions (
    session_id integer not null references sessions(id) on delete cascade,
    is_agent integer not null,
    model text not null,
    messages integer not null, input integer not null, output integer not null, cache_read integer not null, cache_creation integer not null, cache_creation_1h integer not null, web_searches integer not null, stated_nano_usd integer not null,
    last_at integer, -- of its newest message
    primary key (session_id, is_agent, model)
  ) without rowid;

CREATE TABLE usage_tasks (
    task_id integer not null references tasks(id) on delete cascade,
    session_id integer not null references sessions(id) on delete cascade,
    model text not null,
    messages integer not null, input integer not null, output integer not null, cache_read integer not null, cache_creation integer not null, cache_creation_1h integer not null, web_searches integer not null, stated_nano_usd integer not null,
    last_at integer,
    primary key (task_id, session_id, model)
  ) without rowid;

CREATE INDEX usage_tasks_session on usage_tasks (session_id);

CREATE TABLE usage_totals (
    session_id integer not null references sessions(id) on delete cascade,
    subagent_id integer not null,
    model text not null,
    messages integer not null,
    input integer not null,
    output integer not null,
    cache_read integer not null,
    cache_creation integer not null,
    cache_creation_1h integer not null,
    web_searches integer not null, stated_nano_usd integer not null default 0,
    primary key (session_id, subagent_id, model)
  ) without rowid;

CREATE TABLE users (
    id integer primary key,
    name text not null,
    fold text not null unique,
    role text not null, -- viewer | approver | admin
    login text,
    added_by text not null,
    created_at integer not null,
    removed_at integer
  );

CREATE UNIQUE INDEX users_login on users (login) where login is not null and removed_at is null;

CREATE TABLE work_copies (
    id integer primary key,
    task_id integer not null references tasks(id) on delete cascade,
    attempt_number integer not null,
    commit_id text not null,
    head text not null,
    base text not null,
    remote text not null,
    host_name text,
    size integer not null,
    stored integer not null, -- bytes of the bundle that are here, from its beginning
    left_out text not null, -- JSON
    taken_at integer not null,
    unique (task_id, attempt_number, commit_id)
  );

CREATE TABLE work_copy_parts (
    copy_id integer not null references work_copies(id) on delete cascade,
    place integer not null, -- where the bytes begin
    bytes blob not null,
    primary key (copy_id, place)
  );

CREATE TRIGGER work_root_moved after update of project_id on work_roots when new.project_id is not old.project_id begin
      update work_sessions set root_project_id = new.project_id where root_id = new.root_id;
    end;

CREATE TABLE work_roots (
    root_id integer primary key references tasks(id) on delete cascade,
    project_id integer, -- of the session that it had last
    dir text,
    heard_at integer not null -- of it and all below it, sessions too
  );

CREATE INDEX work_roots_heard on work_roots (project_id, heard_at, root_id);

CREATE TRIGGER work_session_agent after insert on work_sessions begin
      update work_sessions set agent = (select s.agent from sessions s where s.id = new.session_id)
       where session_id = new.session_id and root_id = new.root_id;
    end;

CREATE TABLE work_sessions (
    session_id integer not null references sessions(id) on delete cascade,
    root_id integer not null references work_roots(root_id) on delete cascade,
    project_id integer, -- the session's own
    root_project_id integer, agent text,
    primary key (session_id, root_id)
  ) without rowid;

CREATE INDEX work_sessions_agent on work_sessions (agent, project_id, session_id);

CREATE INDEX work_sessions_below on work_sessions (root_id, agent);

CREATE INDEX work_sessions_elsewhere on work_sessions (session_id) where root_project_id is distinct from project_id or root_project_id is null;

CREATE INDEX work_sessions_project on work_sessions (project_id, session_id);

CREATE TRIGGER work_of_place after insert on work_tasks  begin
      insert into work_roots (root_id, project_id, dir, heard_at)
     select t.id, (select s.project_id from sessions s where s.native_id = t.last_session_native_id limit 1), t.dir, t.updated_at from tasks t
      where t.id = new.root_id on conflict do nothing;
        insert into work_sessions (session_id, root_id, project_id, root_project_id)
     select s.id, w.root_id, s.project_id, r.project_id
       from attempts a join sessions s on s.native_id = cast(json_extract(a.conversation, '$.sessionId') as text)
         join work_tasks w on w.task_id = a.task_id join work_roots r on r.root_id = w.root_id
      where a.task_id = new.task_id on conflict do nothing;
        update work_roots set heard_at = (select t.updated_at from tasks t where t.id = new.task_id) where heard_at < (select t.updated_at from tasks t where t.id = new.task_id)
     and root_id = (select w.root_id from work_tasks w where w.task_id = new.task_id);
        update work_roots set heard_at = (select max(s.last_event_at) from attempts a join sessions s on s.native_id = cast(json_extract(a.conversation, '$.sessionId') as text) where a.task_id = new.task_id) where heard_at < (select max(s.last_event_at) from attempts a join sessions s on s.native_id = cast(json_extract(a.conversation, '$.sessionId') as text) where a.task_id = new.task_id)
     and root_id = (select w.root_id from work_tasks w where w.task_id = new.task_id);
    end;

CREATE TABLE work_tasks (
    task_id integer primary key references tasks(id) on delete cascade,
    root_id integer not null -- the outermost task above it, or itself
  );

CREATE INDEX work_tasks_root on work_tasks (root_id, task_id);
