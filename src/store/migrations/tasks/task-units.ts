/** The SQL of the migration `task-units`, for PostgreSQL. */

const INTEGERS = [
  ...['priority', 'agent_id', 'capability_set', 'unmet_count', 'not_before', 'parent_id', 'depth', 'creator_agent_id'],
  ...['continue_now', 'attempt_count', 'tries_used', 'lost_count', 'max_turns', 'timeout_ms', 'is_worktree'],
  ...['created_at', 'updated_at', 'started_at', 'finished_at', 'progress_at'],
]
const TEXTS = [
  ...['public_id', 'status', 'assigned_by', 'waiting_for', 'paused_by', 'parent_task_id', 'epic_id', 'issue_id'],
  ...['session_native_id', 'last_session_native_id', 'next_session_native_id', 'spawned_session_native_id'],
  ...['spawned_tool_use_id', 'continuity', 'on_dependency_failure', 'start_rung', 'failure_class', 'finished_by'],
  ...[
    'repository',
    'share',
    'worktree_base',
    'source',
    'task_type',
    'model',
    'permission_mode',
    'retry_policy',
    'required_capabilities',
  ],
  ...['tags', 'dir', 'title', 'reason', 'dispatch_reason', 'failure_reason', 'progress', 'text', 'output'],
  ...['reply_to', 'on_child_done', 'plan_id', 'plan_key', 'specialist', 'agent_clis', 'needed_clis'],
]

/** Columns of tasks that the function knows: those of the schema of this migration. */
export const TASK_COLUMNS: readonly string[] = [...INTEGERS, 'max_cost_usd', 'cost_usd', ...TEXTS]
/** Columns that it changes in a row of tasks, with their types. */
const PATCHED_TASK: Readonly<Record<string, string>> = {
  ...typed('bigint', ['agent_id', 'capability_set', 'not_before', 'attempt_count', 'tries_used', 'lost_count']),
  ...typed('bigint', ['updated_at', 'started_at', 'finished_at', 'progress_at']),
  ...typed('float8', ['cost_usd']),
  ...typed('text', ['status', 'assigned_by', 'waiting_for', 'paused_by', 'last_session_native_id']),
  ...typed('text', ['next_session_native_id', 'start_rung', 'failure_class', 'finished_by', 'reason']),
  ...typed('text', ['dispatch_reason', 'failure_reason', 'progress', 'output', 'needed_clis']),
}
export const PATCHED_TASK_COLUMNS: readonly string[] = Object.keys(PATCHED_TASK)
/** Those of which no index and no column of tasks knows: a row that changes in them alone stays where it is. */
const PLAIN_TASK = pick(PATCHED_TASK, [
  ...['attempt_count', 'tries_used', 'updated_at', 'started_at', 'progress_at', 'cost_usd', 'next_session_native_id'],
  ...[
    'start_rung',
    'failure_class',
    'finished_by',
    'reason',
    'dispatch_reason',
    'failure_reason',
    'progress',
    'output',
  ],
])
/** The same with the conversation's name, which one index knows. */
const SAID_TASK = { ...PLAIN_TASK, ...pick(PATCHED_TASK, ['last_session_native_id']) }
/** The same of attempts. */
const PATCHED_ATTEMPT: Readonly<Record<string, string>> = {
  ...typed('bigint', ['lease_expires_at', 'pid', 'ended_at', 'exit_code', 'num_turns']),
  ...typed('float8', ['cost_usd']),
  ...typed('text', ['wish', 'wish_reason', 'conversation', 'cwd', 'branch', 'base', 'cli_version', 'pid_started']),
  ...typed('text', ['outcome', 'failure_class', 'failure_reason', 'signal', 'usage']),
}
export const PATCHED_ATTEMPT_COLUMNS: readonly string[] = Object.keys(PATCHED_ATTEMPT)
/** Those that no trigger asks about. */
const PLAIN_ATTEMPT = pick(
  PATCHED_ATTEMPT,
  PATCHED_ATTEMPT_COLUMNS.filter((column) => column !== 'conversation'),
)

const ATTEMPT_INSERTED = [
  ...['public_id', 'task_id', 'number', 'agent_id', 'boot_id', 'host_name', 'token_hash', 'dispatch_reason', 'wish'],
  ...['wish_reason', 'lease_ms', 'lease_expires_at', 'conversation', 'cwd', 'branch', 'base', 'cli_version', 'pid'],
  ...['pid_started', 'started_at', 'ended_at', 'outcome', 'failure_class', 'failure_reason', 'exit_code', 'signal'],
  ...['num_turns', 'cost_usd', 'usage', 'agent_cli'],
]

function typed(type: string, columns: readonly string[]): Record<string, string> {
  return Object.fromEntries(columns.map((column) => [column, type]))
}

function pick(from: Readonly<Record<string, string>>, columns: readonly string[]): Record<string, string> {
  return Object.fromEntries(columns.map((column) => [column, from[column] ?? '']))
}

/** Sets the columns that a JSON object has; a column that keeps its value touches no index. */
const setOf = (columns: Readonly<Record<string, string>>, row: string, patch: string): string =>
  Object.entries(columns)
    .map(([column, type]) => {
      const given = type === 'text' ? `${patch}->>'${column}'` : `(${patch}->>'${column}')::${type}`
      return `${column} = case when ${patch} ? '${column}' then ${given} else ${row}.${column} end`
    })
    .join(', ')

/** The same expressions as in `store/tasks/shown.ts`, of a task `t` joined as there. */
const LINKS = `json_build_object(
    'agentId', g.public_id, 'agentName', g.name,
    'agentCli', (select a.agent_cli from attempts a where a.task_id = t.id and a.number = t.attempt_count),
    'creatorAgentId', c.public_id, 'offeredTo', f.public_id, 'offerExpiresAt', o.expires_at,
    'hasQuestion', case when t.status = 'in_progress' and exists (select 1 from questions q
      where q.task_id = t.id and q.status = 'open') then 1 else 0 end,
    'project', coalesce(
      (select p.root from sessions s join projects p on p.id = s.project_id
        where s.native_id = t.last_session_native_id limit 1),
      case when t.dir is not null then (select p.root from projects p
        where p.root = t.dir or substr(t.dir, 1, length(p.root) + 1) = p.root || '/'
        order by length(p.root) desc, p.id limit 1) end),
    'specialist', (select s.name from agents s where s.public_id = t.specialist),
    'dependsOn', (select coalesce(json_agg(n.public_id order by n.id)::text, '[]')
      from task_dependencies d join tasks n on n.id = d.depends_on where d.task_id = t.id))`
const LINKED = `tasks t
    left join agents g on g.id = t.agent_id
    left join agents c on c.id = t.creator_agent_id
    left join offers o on o.task_id = t.id
    left join agents f on f.id = o.agent_id`

/** What is read of a task, with the transactions that wrote its row and its live attempt's: those tell whether it is still so. */
const FACTS = `create function task_facts(of_task text) returns text language plpgsql as $$
  begin
    return (select json_build_object('task', to_json(t), 'taskXid', t.xmin::text,
        'live', to_json(l), 'liveXid', l.xmin::text, 'links', ${LINKS})::text
      from ${LINKED} left join attempts l on l.task_id = t.id and l.ended_at is null
      where t.public_id = of_task);
  end $$`

/** The task that a claim takes first, in the order of `store/tasks/writes/claim.ts`; the caller looks whether it may be taken. */
const NEXT = `create function next_task(by_agent text, modes text[], unit_time bigint) returns text language plpgsql as $$
  declare
    agent agents%rowtype;
  begin
    select * into agent from agents where public_id = by_agent;
    if not found then return null; end if;
    modes := modes[1:array_position(modes, agent.max_permission_mode)];
    return (with recursive open_sets(open_to, capability_set) as (
        select p.open_to, (select t.capability_set from tasks t where t.open_to = p.open_to order by t.capability_set limit 1)
          from (select agent.id as open_to union all select 0) as p
        union all
        select s.open_to, (select t.capability_set from tasks t
            where t.open_to = s.open_to and t.capability_set > s.capability_set order by t.capability_set limit 1)
          from open_sets s where s.capability_set is not null
      )
      , shares as (select count(distinct c.share) as count from open_sets s join capability_sets c on c.id = s.capability_set)
      select best.public_id from open_sets s
        join capability_sets c on c.id = s.capability_set
          and (agent.capabilities::jsonb @> c.capabilities::jsonb or c.capabilities like '%>=%')
        cross join lateral (select t.id, t.public_id, t.priority, t.open_to from tasks t
          where t.open_to = s.open_to and t.capability_set = s.capability_set
            and (t.not_before is null or t.not_before <= unit_time)
            and (modes is null or t.permission_mode is null or t.permission_mode = any(modes))
            and not exists (select 1 from rejections r where r.task_id = t.id and r.agent_id = agent.id)
            and (t.dir is null or coalesce((select max(case when t.dir = d.dir or substr(t.dir, 1, length(d.dir) + 1) = d.dir || '/'
              then 1 else 0 end) from agent_dirs d where d.agent_id = agent.id), 1) = 1)
          order by t.priority desc, t.id limit 1) best
        -- Of several shares the rule of placement chooses, which is asked elsewhere.
        where (select count from shares) = 1
        order by best.priority desc, best.open_to desc, best.id limit 1);
  end $$`

/** What `LINKS` says of the task that was written, asked for only as far as its row makes it possible. */
const LINKS_OF_WRITTEN = `if row_agent is null then
      known_name := null;
      known_public := null;
    elsif row_agent is distinct from known_agent then
      select g.public_id, g.name into known_public, known_name from agents g where g.id = row_agent;
    end if;
    if row_attempts = 0 then cli := null;
    elsif row_attempts is distinct from cli_number then
      cli := (select a.agent_cli from attempts a where a.task_id = task_key and a.number = row_attempts);
    end if;
    if row_creator is not null then creator := (select c.public_id from agents c where c.id = row_creator); end if;
    if row_offered is not null then
      select f.public_id, o.expires_at into offered, offered_until
        from offers o left join agents f on f.id = o.agent_id where o.task_id = task_key;
    end if;
    if row_status = 'in_progress' and exists (select 1 from questions q where q.task_id = task_key and q.status = 'open') then
      has_question := 1;
    end if;
    if row_session is not null then
      project := (select p.root from sessions s join projects p on p.id = s.project_id where s.native_id = row_session limit 1);
    end if;
    if project is null and row_dir is not null then
      project := (select p.root from projects p
        where p.root = row_dir or substr(row_dir, 1, length(p.root) + 1) = p.root || '/'
        order by length(p.root) desc, p.id limit 1);
    end if;
    if row_specialist is not null then specialist := (select s.name from agents s where s.public_id = row_specialist); end if;
    if not writes ? 'insert' then
      depends_on := (select coalesce(json_agg(n.public_id order by n.id)::text, '[]')
        from task_dependencies d join tasks n on n.id = d.depends_on where d.task_id = task_key);
    end if;
    facts := json_build_object('agentId', known_public, 'agentName', known_name, 'agentCli', cli, 'creatorAgentId', creator,
      'offeredTo', offered, 'offerExpiresAt', offered_until, 'hasQuestion', has_question, 'project', project,
      'specialist', specialist, 'dependsOn', depends_on)::text;`

const RETURNED = `t.agent_id, t.attempt_count, t.creator_agent_id, t.offered_to, t.status, t.last_session_native_id, t.dir, t.specialist`
const INTO_ROW =
  'into row_agent, row_attempts, row_creator, row_offered, row_status, row_session, row_dir, row_specialist'

/** Sets what `patch` has of these columns. */
const patchTask = (columns: Readonly<Record<string, string>>): string =>
  `update tasks t set ${setOf(columns, 't', 'patch')} where t.id = task_key returning ${RETURNED} ${INTO_ROW};`

/** Whether `patch` has no other columns than these. */
const hasOnly = (columns: Readonly<Record<string, string>>): string =>
  `patch - array[${Object.keys(columns)
    .map((column) => `'${column}'`)
    .join(', ')}] = '{}'`

/**
 * Whether a token is still whose it was, as the API would find by looking it up (`api/server/callers/authenticate.ts`). A run's ends with
 * its attempt, that of a worker with its enrollment.
 */
const REMEMBERED_TOKEN = `if about ? 'token' then
      given_hash := decode(about->'token'->>'hash', 'hex');
      if about->'token'->>'of' = 'attempt' then
        is_good := exists (select 1 from attempts a
          where a.token_hash = given_hash and a.public_id = about->'token'->>'id' and a.ended_at is null);
      elsif about->'token'->>'of' = 'agent' then
        is_good := exists (select 1 from agents g where g.token_hash = given_hash and g.public_id = about->'token'->>'id')
          and not exists (select 1 from tokens n
            where n.id = (select max(o.id) from tokens o where o.agent_public_id = about->'token'->>'id')
              and n.revoked_at is null and n.expires_at <= clock);
      else
        is_good := exists (select 1 from operator_tokens o where o.token_hash = given_hash and o.ended_at is null);
      end if;
      if not is_good then
        state := 'unproven';
        return;
      end if;
    end if;`

/**
 * A short unit. `about`: what it may read. `seen`: which transactions wrote what it read, and what it found not to be there. `writes`:
 * what it decided; null = it reads. `state`: `read`, `done`, `stale` (another unit was first: what is so now comes with it), `clock` (its
 * time is not the database's), `locked` (in `about`, `together` says that it is one of several in a statement, which do not wait for the
 * row of a task), `unproven` (the token of `about` is no longer good, or another's).
 *
 * Statements are many and small, behind conditions: PostgreSQL makes a statement's plan ready in full before it runs any of it, with all
 * indexes of a table that it changes. Plans are kept for as long as a connection lasts: those that were made while tables were small must
 * not read all of them when they are large. Reading an empty table whole counts as dear then, and is not worth compiling.
 */
const UNIT = `create function task_unit(about jsonb, seen jsonb, writes jsonb, unit_time bigint,
    out state text, out clock bigint, out facts text, out agents text, out hosts text, out answer text,
    out xid text, out task_key bigint, out attempt_key bigint)
  language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
  declare
    task_name text := about->>'task';
    task_xid text;
    live_xid text;
    agents_xid text;
    known_agent bigint;
    known_public text;
    known_name text;
    cli text;
    cli_number bigint;
    row_agent bigint;
    row_attempts bigint;
    row_creator bigint;
    row_offered bigint;
    row_status text;
    row_session text;
    row_dir text;
    row_specialist text;
    creator text;
    offered text;
    offered_until bigint;
    has_question integer := 0;
    project text;
    specialist text;
    depends_on text := '[]';
    taken bigint;
    patch jsonb;
    given_hash bytea;
    is_good boolean;
  begin
    clock := (extract(epoch from clock_timestamp()) * 1000)::bigint;
    ${REMEMBERED_TOKEN}
    if writes is not null then
      if unit_time > clock + 50 or unit_time < clock - 500 then
        state := 'clock';
        return;
      end if;
      if about ? 'answer' then
        perform pg_advisory_xact_lock(hashtextextended((about->'answer'->>0) || ' ' || (about->'answer'->>1), 0));
        if exists (select 1 from idempotency_keys k
            where k.scope = about->'answer'->>0 and k.key = about->'answer'->>1) then state := 'stale'; end if;
      end if;
      if task_name is not null then
        if about ? 'together' then
          select t.id, t.xmin::text into task_key, task_xid from tasks t where t.public_id = task_name for no key update skip locked;
          if not found then
            state := 'locked';
            return;
          end if;
        else
          select t.id, t.xmin::text into task_key, task_xid from tasks t where t.public_id = task_name for no key update;
        end if;
        select a.id, a.xmin::text, a.number, a.agent_cli into attempt_key, live_xid, cli_number, cli
          from attempts a where a.task_id = task_key and a.ended_at is null;
        if task_xid is distinct from seen->>'taskXid' or live_xid is distinct from seen->>'liveXid' then state := 'stale'; end if;
        if seen ? 'noAlias' then
          if exists (select 1 from address_aliases where alias = task_name) then state := 'stale'; end if;
        end if;
        if seen ? 'noDependents' then
          if exists (select 1 from task_dependencies d where d.depends_on = task_key) then state := 'stale'; end if;
        end if;
        if seen ? 'noneWaits' then
          if exists (select 1 from tasks c where c.parent_id = task_key and c.waiting_for = 'parent') then state := 'stale'; end if;
        end if;
        if seen ? 'noQuestions' then
          if exists (select 1 from questions q where q.attempt_id = attempt_key and q.status = 'open') then state := 'stale'; end if;
        end if;
        if seen ? 'noOffer' then
          if exists (select 1 from offers o where o.task_id = task_key) then state := 'stale'; end if;
        end if;
        if seen ? 'noBudgets' then
          if exists (select 1 from budgets) then state := 'stale'; end if;
        end if;
        if seen ? 'noHold' then
          if exists (select 1 from budget_holds h where h.task_id = task_key) then state := 'stale'; end if;
        end if;
      end if;
      if about ? 'agents' then
        if jsonb_array_length(about->'agents') = 1 then
          select g.id, g.public_id, g.name, g.xmin::text into known_agent, known_public, known_name, agents_xid
            from agents g where g.public_id = about->'agents'->>0;
        else
          agents_xid := (select coalesce(string_agg(g.xmin::text, ' ' order by g.id), '') from agents g
            where g.public_id in (select jsonb_array_elements_text(about->'agents')));
        end if;
        if agents_xid is distinct from seen->>'agentsXid' then state := 'stale'; end if;
      end if;
    end if;
    if about ? 'session' then
      hosts := (select coalesce(json_agg(name order by name)::text, '[]') from (
        select h.name from sessions s join hosts h on h.id = s.host_id where s.native_id = about->>'session'
        union select k.host_name from attempts k
          where ((k.conversation)::json ->> 'sessionId') = about->>'session' and k.host_name is not null) as known);
      if writes is not null and hosts is distinct from seen->>'hosts' then state := 'stale'; end if;
    end if;
    if writes is null or state = 'stale' then
      if writes is null then
        state := 'read';
        if task_name is null and about ? 'claim' then
          task_name := next_task(about->>'claim', array(select jsonb_array_elements_text(about->'modes')), clock);
        end if;
      end if;
      if task_name is not null then facts := task_facts(task_name); end if;
      if about ? 'agents' then
        agents := (select json_agg(json_build_object('row', to_json(g), 'xid', g.xmin::text) order by g.id)::text
          from agents g where g.public_id in (select jsonb_array_elements_text(about->'agents')));
      end if;
      if about ? 'answer' then
        answer := (select k.answer from idempotency_keys k
          where k.scope = about->'answer'->>0 and k.key = about->'answer'->>1);
      end if;
      return;
    end if;

    patch := writes->'set';
    if patch is not null then
      select id into taken from capability_sets where digest = patch->>'digest';
      if taken is null then
        insert into capability_sets (digest, capabilities, clis, share)
          values (patch->>'digest', patch->>'capabilities', patch->>'clis', coalesce(patch->>'share', ''))
          on conflict (digest) do update set digest = excluded.digest returning id into taken;
      end if;
    end if;
    patch := writes->'insert';
    if patch is not null then
      patch := patch || jsonb_build_object('capability_set', coalesce(taken, 0));
      insert into tasks as t (${TASK_COLUMNS.join(', ')})
        select ${TASK_COLUMNS.map((column) => `r.${column}`).join(', ')} from jsonb_populate_record(null::tasks, patch) r
        returning t.id, ${RETURNED}
        ${INTO_ROW.replace('into ', 'into task_key, ')};
    end if;
    patch := writes->'patch';
    if patch is not null then
      if taken is not null then patch := patch || jsonb_build_object('capability_set', taken); end if;
      if ${hasOnly(PLAIN_TASK)} then
        ${patchTask(PLAIN_TASK)}
      elsif ${hasOnly(SAID_TASK)} then
        ${patchTask(SAID_TASK)}
      else
        ${patchTask(PATCHED_TASK)}
      end if;
    end if;
    if not writes ? 'insert' and not writes ? 'patch' then
      select ${RETURNED} ${INTO_ROW} from tasks t where t.id = task_key;
    end if;
    patch := writes->'attempt';
    if patch is not null then
      if patch ? 'conversation' then
        update attempts a set ${setOf(PATCHED_ATTEMPT, 'a', 'patch')} where a.id = attempt_key;
      else
        update attempts a set ${setOf(PLAIN_ATTEMPT, 'a', 'patch')} where a.id = attempt_key;
      end if;
    end if;
    patch := writes->'open';
    if patch is not null then
      patch := patch || jsonb_build_object('task_id', task_key, 'started_at', greatest(unit_time,
        coalesce((select a.ended_at from attempts a where a.task_id = task_key order by a.number desc limit 1), 0)));
      insert into attempts (${ATTEMPT_INSERTED.join(', ')})
        select ${ATTEMPT_INSERTED.map((column) => `r.${column}`).join(', ')} from jsonb_populate_record(null::attempts, patch) r
        returning id, number, agent_cli into attempt_key, cli_number, cli;
    end if;
    if writes ? 'log' then
      insert into task_log (task_id, at, attempt, kind, text)
        select task_key, (l->>0)::bigint, (l->>1)::bigint, l->>2, l->>3 from jsonb_array_elements(writes->'log') as x(l);
    end if;
    if writes ? 'heard' then
      update agents g set last_seen_at = unit_time where g.public_id = writes->>'heard';
    end if;
    if writes ? 'answer' then
      insert into idempotency_keys (scope, key, request_hash, answer, created_at)
        values (about->'answer'->>0, about->'answer'->>1, writes->'answer'->>0, writes->'answer'->>1, unit_time);
    end if;
    if writes ? 'feed' then
      insert into feed (at, kind, data) select unit_time, f->>0, f->>1 from jsonb_array_elements(writes->'feed') as x(f);
    end if;
    ${LINKS_OF_WRITTEN}
    xid := pg_current_xact_id()::xid::text;
    state := 'done';
  end $$`

/**
 * Several short units, one after another, in one transaction; afterwards the feed's rows get their numbers, unless somebody else is at it:
 * a pass of its own would be one more transaction. The last row says in `task_key` what `number_feed` said; null = no row was added.
 */
const UNITS = `create function task_units(units jsonb, most integer) returns table(state text, clock bigint, facts text, agents text,
    hosts text, answer text, xid text, task_key bigint, attempt_key bigint) language plpgsql as $$
  declare
    unit jsonb;
    has_fed boolean := false;
  begin
    for unit in select value from jsonb_array_elements(units) loop
      select u.* into state, clock, facts, agents, hosts, answer, xid, task_key, attempt_key
        from task_unit(unit->'about', nullif(unit->'seen', 'null'), nullif(unit->'writes', 'null'), (unit->>'now')::bigint) u;
      if state = 'done' and unit->'writes' ? 'feed' then has_fed := true; end if;
      return next;
    end loop;
    state := 'all';
    facts := null;
    agents := null;
    hosts := null;
    answer := null;
    task_key := null;
    if has_fed then task_key := number_feed(most); end if;
    return next;
  end $$`

export const TASK_UNITS: string[] = [FACTS, NEXT, UNIT]
/** Beside those of `TASK_UNITS`. */
export const SEVERAL_TASK_UNITS: string[] = [UNITS]
export const DROP_SEVERAL_TASK_UNITS: string[] = ['drop function task_units(jsonb, integer)']
export const DROP_TASK_UNITS: string[] = [
  'drop function task_unit(jsonb, jsonb, jsonb, bigint)',
  'drop function next_task(text, text[], bigint)',
  'drop function task_facts(text)',
]
