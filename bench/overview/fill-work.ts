import { Database } from 'bun:sqlite'
import { databasePath } from '../../src/app/threads/database'
import { DEFAULT_RETRY_POLICY } from '../../src/domain/task/task'
import { FILL_SHARED_HOURS } from '../../src/store/migrations/costs/usage-shares'
import { Random } from '../common/random'

export interface WorkOptions {
  tasks: number
  projects: number
  /** Tasks go over this many days, in the sessions of their time, and only the newest hundredth is not finished. Default: all are new. */
  days?: number
}

/** What there is to ask about. */
export interface FilledWork {
  /** One task with children and the conversation of one of its attempts. */
  task: string
  session: string
}

const MODELS = ['claude-opus-5-5', 'claude-sonnet-4-5-20250929', 'claude-haiku-4-5', 'claude-haiku-5-5'] as const
/** Sessions at work. */
const LIVE_SESSIONS = 50
const CHILDREN = 4
/** For each task that was run. */
const ATTEMPTS = 2
const TODOS = 5
const MINUTE_MS = 60_000

/**
 * Adds to a record of `fillRecord` what a dashboard sums up: projects, tasks with attempts in some of the sessions, usage by message,
 * to-dos, sessions that live and calls without an answer. A quarter of the events are messages.
 */
export function fillWork(home: string, { tasks, projects, days }: WorkOptions): FilledWork {
  const db = new Database(databasePath(home))
  const random = new Random(23)
  const now = Date.now()
  try {
    db.run('pragma synchronous = off')
    db.run('pragma foreign_keys = off')
    db.run('begin')
    for (let at = 2; at <= projects; at++)
      db.query('insert into projects (id, host_id, root, name, created_at) values (?, 1, ?, ?, 1)').run(
        at,
        `/home/user/project-${at}`,
        `project-${at}`,
      )
    // Half of all in the first one, the rest shared by the others; those of one time, which tasks share, in the same.
    const block = days === undefined ? 'id' : '(id / 50)'
    db.query(`update sessions set project_id = case when ${block} % 2 = 0 then 1 else 2 + ${block} % ? end`).run(
      projects - 1,
    )
    db.run('update subagents set event_count = 7')
    fillUsage(db)
    fillTodos(db)
    livenSome(db, now)
    const filled = fillTasks(
      db,
      days === undefined ? newTasks(tasks, random, now) : tasksOfDays(tasks, days, now),
      random,
      now,
    )
    db.run('commit')
    db.run('pragma wal_checkpoint(truncate)')
    return filled
  } finally {
    db.close()
  }
}

function fillUsage(db: Database): void {
  // A session has its model, and few of its agents another.
  const models = MODELS.map((model, at) => `when ${at} then '${model}'`).join(' ')
  db.run(`insert into usage_messages select session_id, 'msg_' || id, coalesce(subagent_id, 0),
    case (session_id + case when subagent_id % 7 = 0 then 1 else 0 end) % ${MODELS.length} ${models} end, 100 + id % 900, 50 + id % 400, 3000 + id % 9000, 200 + id % 700, 0, 0, at, 0
    from conversation_events where id % 4 = 0`)
  db.run('delete from usage_totals')
  db.run(`insert into usage_totals select session_id, subagent_id, model, count(*), sum(input), sum(output), sum(cache_read),
    sum(cache_creation), sum(cache_creation_1h), sum(web_searches), 0 from usage_messages group by session_id, subagent_id, model`)
  fillSums(db)
}

/** What the recorder keeps of each session. */
function fillSums(db: Database): void {
  db.run('delete from usage_sessions')
  db.run(`insert into usage_sessions select session_id, subagent_id <> 0, model, sum(messages), sum(input), sum(output), sum(cache_read),
    sum(cache_creation), sum(cache_creation_1h), sum(web_searches), 0, null from usage_totals group by 1, 2, 3`)
  db.run(`update sessions set token_count = used.tokens, cost_usd = used.tokens / 1e6 from (
    select session_id, sum(input + output + cache_read + cache_creation) as tokens from usage_sessions group by 1) used
    where used.session_id = sessions.id`)
  const models = MODELS.map((model, at) => `when ${at} then '${model}'`).join(' ')
  db.run(`update sessions set error_count = id % 11, file_count = id % 23, model = case id % ${MODELS.length} ${models} end,
    git_branch = case when id % 3 = 0 then 'main' else 'topic-' || (id % 5000) end`)
}

function fillTodos(db: Database): void {
  db.run(`insert into todo_lists (id, session_id, name) select id, id, 'todo' from sessions where id % 5 = 0`)
  for (let at = 0; at < TODOS; at++)
    db.query(
      `insert into todos (id, list_id, session_id, ordinal, content, blocked_by, status, created_at, updated_at)
       select 'cct-' || id || '-' || ?, id, id, ?, 'Do the next thing', '[]', ?, started_at, last_event_at from sessions where id % 5 = 0`,
    ).run(at, at, at < 2 ? 'completed' : at === 2 ? 'in_progress' : 'pending')
}

/** The newest sessions work now, and a call of theirs is open. */
function livenSome(db: Database, now: number): void {
  const live = `(select id from sessions order by id desc limit ${LIVE_SESSIONS})`
  db.query(
    `update sessions set activity = 'working', activity_at = ?, last_event_at = ?, process_state = 'alive', process_at = ?, process_id = id
      where id in ${live}`,
  ).run(now - MINUTE_MS, now - MINUTE_MS, now)
  db.query(
    `insert into tool_uses (session_id, tool_use_id, name, called_at) select id, 'toolu_open_' || id, 'Bash', ? from sessions where id in ${live}`,
  ).run(now - MINUTE_MS)
  db.query(
    `update subagents set end_status = null, end_at = null, end_evidence = null, last_started_at = ? where id % 3 = 0 and session_id in ${live}`,
  ).run(now - MINUTE_MS)
}

interface TaskPlan {
  count: number
  statusOf(key: number): string
  beganAt(key: number): number
  /** Place of its session among all, the newest first. */
  sessionOf(key: number, sessions: number): number
}

const STATUSES = ['in_progress', 'pending', 'paused', 'failed', 'completed', 'completed', 'completed', 'cancelled']
const statusOf = (key: number): string => STATUSES[key % STATUSES.length] ?? 'completed'

const newTasks = (count: number, random: Random, now: number): TaskPlan => ({
  count,
  statusOf,
  beganAt: () => now - Math.floor(random.next() * 1_000) * MINUTE_MS,
  sessionOf: (key, sessions) => (key * 3) % sessions,
})

/** The share of sessions that tasks have. */
const WITH_TASKS = 0.6
const DAY_MS = 86_400_000

const tasksOfDays = (count: number, days: number, now: number): TaskPlan => ({
  count,
  statusOf: (key) => (key > count * 0.99 ? statusOf(key) : key % 10 === 0 ? 'failed' : 'completed'),
  beganAt: (key) => now - Math.floor((1 - key / count) * days * DAY_MS) - 2 * MINUTE_MS,
  sessionOf: (key, sessions) => Math.floor(Math.floor((1 - key / count) * sessions * WITH_TASKS) / WITH_TASKS),
})

function fillTasks(db: Database, plan: TaskPlan, random: Random, now: number): FilledWork {
  const sessions = db.query<{ native_id: string }, []>('select native_id from sessions order by id desc').all()
  db.run(`insert into agents (id, public_id, name, kind, capabilities, concurrency, created_at, host_name, hostname, boot_id, last_seen_at)
    values (1, 'a-bench001', 'bench', 'worker', '[]', 50, 1, (select name from hosts limit 1), 'bench', 'boot', ${now})`)
  db.run(`insert into capability_sets (id, digest, capabilities) values (1, 'none', '[]')`)
  const task = db.query(
    `insert into tasks (id, public_id, status, priority, capability_set, waiting_for, unmet_count, parent_id, parent_task_id, depth,
       last_session_native_id, continuity, continue_now, on_dependency_failure, attempt_count, tries_used, lost_count, is_worktree, created_at,
       updated_at, started_at, finished_at, source, retry_policy, required_capabilities, tags, title, reason, text, agent_id)
     values (?, ?, ?, 50, 1, ?, 0, ?, ?, ?, ?, 'continue', 0, 'fail', ?, ?, 0, 0, ?, ?, ?, ?, 'bench', ?, '[]', '[]', ?, 'claimed', 'Do it', 1)`,
  )
  const attempt = db.query(
    `insert into attempts (public_id, task_id, number, agent_id, token_hash, dispatch_reason, lease_ms, lease_expires_at, conversation, started_at,
       ended_at, outcome) values (?, ?, ?, 1, ?, 'bench', 15000, ?, ?, ?, ?, ?)`,
  )
  for (let key = 1; key <= plan.count; key++) {
    const parent = key % (CHILDREN + 1) === 1 ? null : key - ((key - 1) % (CHILDREN + 1))
    const status = plan.statusOf(key)
    const wasRun = status !== 'pending'
    const conversation = wasRun ? (sessions[plan.sessionOf(key, sessions.length)]?.native_id ?? null) : null
    const id = publicId(key)
    const isOver = status !== 'in_progress' && status !== 'pending' && status !== 'paused'
    const began = plan.beganAt(key)
    const finished = isOver ? began + MINUTE_MS : null
    task.run(
      key,
      id,
      status,
      status === 'pending' ? 'dependency' : null,
      parent,
      parent === null ? null : publicId(parent),
      parent === null ? 0 : 1,
      conversation,
      wasRun ? ATTEMPTS : 0,
      wasRun ? ATTEMPTS : 0,
      began,
      finished ?? began,
      wasRun ? began : null,
      finished,
      JSON.stringify(DEFAULT_RETRY_POLICY),
      `Task ${key}`,
    )
    for (let number = 1; wasRun && number <= ATTEMPTS; number++) {
      const isLive = status === 'in_progress' && number === ATTEMPTS
      attempt.run(
        `${id}.${number}`,
        key,
        number,
        Buffer.from(random.hex(64), 'hex'),
        isLive ? now + MINUTE_MS : null,
        JSON.stringify({ rung: 'native', sessionId: conversation, resumedSessionId: null, forked: false, whyNot: [] }),
        began,
        isLive ? null : began + MINUTE_MS,
        isLive ? null : 'completed',
      )
    }
  }
  // Most tasks are done for one of twelve people.
  db.run(`update tasks set share = json_array('person-' || (id % 12), 'project') where id % 4 > 0`)
  // As the sweep leaves them.
  db.run('delete from usage_hours')
  db.run(FILL_SHARED_HOURS)
  return { task: publicId(1), session: sessions[3]?.native_id ?? '' }
}

const publicId = (key: number): string => `t-${key.toString(36).padStart(8, '0')}`
