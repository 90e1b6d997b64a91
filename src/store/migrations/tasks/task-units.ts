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
/** The same of attempts. */
const PATCHED_ATTEMPT: Readonly<Record<string, string>> = {
  ...typed('bigint', ['lease_expires_at', 'pid', 'ended_at', 'exit_code', 'num_turns']),
  ...typed('float8', ['cost_usd']),
  ...typed('text', ['wish', 'wish_reason', 'conversation', 'cwd', 'branch', 'base', 'cli_version', 'pid_started']),
  ...typed('text', ['outcome', 'failure_class', 'failure_reason', 'signal', 'usage']),
}
export const PATCHED_ATTEMPT_COLUMNS: readonly string[] = Object.keys(PATCHED_ATTEMPT)

const ATTEMPT_INSERTED = [
  ...['public_id', 'task_id', 'number', 'agent_id', 'boot_id', 'host_name', 'token_hash', 'dispatch_reason', 'wish'],
  ...['wish_reason', 'lease_ms', 'lease_expires_at', 'conversation', 'cwd', 'branch', 'base', 'cli_version', 'pid'],
  ...['pid_started', 'started_at', 'ended_at', 'outcome', 'failure_class', 'failure_reason', 'exit_code', 'signal'],
  ...['num_turns', 'cost_usd', 'usage', 'agent_cli'],
]

function typed(type: string, columns: readonly string[]): Record<string, string> {
  return Object.fromEntries(columns.map((column) => [column, type]))
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

/**
 * A short unit. `about`: what it may read. `seen`: which transactions wrote what it read, and what it found not to be there. `writes`:
 * what it decided; null = it reads. `state`: `read`, `done`, `stale` (another unit was first: what is so now comes with it), `clock` (its
 * time is not the database's).
 */
const UNIT = `create function task_unit(about jsonb, seen jsonb, writes jsonb, unit_time bigint,
    out state text, out clock bigint, out facts text, out agents text, out hosts text, out answer text,
    out xid text, out task_key bigint, out attempt_key bigint)
  language plpgsql set plan_cache_mode = force_generic_plan as $$
  declare
    task_name text := about->>'task';
    task_xid text;
    live_xid text;
    agents_xid text;
    taken bigint;
    patch jsonb;
  begin
    clock := (extract(epoch from clock_timestamp()) * 1000)::bigint;
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
        select t.id, t.xmin::text into task_key, task_xid from tasks t where t.public_id = task_name for no key update;
        select a.id, a.xmin::text into attempt_key, live_xid from attempts a where a.task_id = task_key and a.ended_at is null;
        if task_xid is distinct from seen->>'taskXid' or live_xid is distinct from seen->>'liveXid'
          or (seen ? 'noAlias' and exists (select 1 from address_aliases where alias = task_name))
          or (seen ? 'noDependents' and exists (select 1 from task_dependencies d where d.depends_on = task_key))
          or (seen ? 'noneWaits' and exists (select 1 from tasks c where c.parent_id = task_key and c.waiting_for = 'parent'))
          or (seen ? 'noQuestions' and exists (select 1 from questions q where q.attempt_id = attempt_key and q.status = 'open'))
          or (seen ? 'noOffer' and exists (select 1 from offers o where o.task_id = task_key))
          or (seen ? 'noBudgets' and exists (select 1 from budgets))
          or (seen ? 'noHold' and exists (select 1 from budget_holds h where h.task_id = task_key)) then
          state := 'stale';
        end if;
      end if;
      if about ? 'agents' then
        select string_agg(g.xmin::text, ' ' order by g.id) into agents_xid from agents g
          where g.public_id in (select jsonb_array_elements_text(about->'agents'));
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
      insert into tasks (${TASK_COLUMNS.join(', ')})
        select ${TASK_COLUMNS.map((column) => `r.${column}`).join(', ')} from jsonb_populate_record(null::tasks, patch) r
        returning id into task_key;
    end if;
    patch := writes->'patch';
    if patch is not null then
      if taken is not null then patch := patch || jsonb_build_object('capability_set', taken); end if;
      update tasks t set ${setOf(PATCHED_TASK, 't', 'patch')} where t.id = task_key;
    end if;
    patch := writes->'attempt';
    if patch is not null then
      update attempts a set ${setOf(PATCHED_ATTEMPT, 'a', 'patch')} where a.id = attempt_key;
    end if;
    patch := writes->'open';
    if patch is not null then
      patch := patch || jsonb_build_object('task_id', task_key, 'started_at', greatest(unit_time,
        coalesce((select a.ended_at from attempts a where a.task_id = task_key order by a.number desc limit 1), 0)));
      insert into attempts (${ATTEMPT_INSERTED.join(', ')})
        select ${ATTEMPT_INSERTED.map((column) => `r.${column}`).join(', ')} from jsonb_populate_record(null::attempts, patch) r
        returning id into attempt_key;
    end if;
    if writes ? 'log' then
      insert into task_log (task_id, at, attempt, kind, text)
        select task_key, (l->>0)::bigint, (l->>1)::bigint, l->>2, l->>3 from jsonb_array_elements(writes->'log') with ordinality as x(l, place)
        order by place;
    end if;
    if writes ? 'heard' then
      update agents g set last_seen_at = unit_time where g.public_id = writes->>'heard';
    end if;
    if writes ? 'answer' then
      insert into idempotency_keys (scope, key, request_hash, answer, created_at)
        values (about->'answer'->>0, about->'answer'->>1, writes->'answer'->>0, writes->'answer'->>1, unit_time);
    end if;
    if writes ? 'feed' then
      insert into feed (at, kind, data) select unit_time, f->>0, f->>1
        from jsonb_array_elements(writes->'feed') with ordinality as x(f, place) order by place;
    end if;
    facts := (select ${LINKS}::text from ${LINKED} where t.id = task_key);
    xid := pg_current_xact_id()::xid::text;
    state := 'done';
  end $$`

export const TASK_UNITS: string[] = [FACTS, NEXT, UNIT]
export const DROP_TASK_UNITS: string[] = [
  'drop function task_unit(jsonb, jsonb, jsonb, bigint)',
  'drop function next_task(text, text[], bigint)',
  'drop function task_facts(text)',
]
