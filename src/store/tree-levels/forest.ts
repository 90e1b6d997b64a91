import { type RawBuilder, sql } from 'kysely'
import type { SessionId, TaskId } from '../../domain/ids'
import { shownWork } from '../../domain/overview/shown-status'
import type { ShownTaskStatus, TaskStatus } from '../../domain/task/task'
import type { ReadContext } from '../sql/read-context'
import { shownStatus } from '../tasks/shown'

/** A task in the tree. Times in milliseconds. */
export interface ForestTask {
  key: number
  id: TaskId
  status: ShownTaskStatus
  isWaiting: boolean
  parentKey: number | null
  dir: string | null
  lastSession: SessionId | null
  updatedAt: number
  finishedAt: number | null
  /** Its title holds what is looked for. */
  hasTitle: boolean
  /** Oldest first. */
  children: ForestTask[]
  /** Keys of the recorded conversations of its attempts, in the order of these. */
  sessions: number[]
  /** Conversations of its live attempts; `null` = none that is recorded yet. */
  live: (number | null)[]
  hasQuestion: boolean
}

/** A recorded session that is an attempt's conversation. */
export interface ForestSession {
  key: number
  id: SessionId
  projectId: number | null
  lastEventAt: number
}

/** Tasks with their conversations. */
export interface Forest {
  tasks: ReadonlyMap<number, ForestTask>
  sessions: ReadonlyMap<number, ForestSession>
  /** Those without a parent among `tasks`. */
  roots: ForestTask[]
}

interface TaskColumns {
  key: number
  id: TaskId
  status: TaskStatus
  waiting_for: string | null
  offered_to: number | null
  parent_id: number | null
  dir: string | null
  last_session: SessionId | null
  updated_at: number
  finished_at: number | null
  has_title: number
}

/** Whole trees, or one task with everything below it. */
export type ForestScope = { roots: readonly number[] } | { below: TaskId }

const keysOf = ({ capabilities }: ReadContext, scope: ForestScope): RawBuilder<unknown> =>
  'roots' in scope
    ? sql`(select w.task_id from work_tasks w where ${capabilities.inKeys(sql.ref<number>('w.root_id'), scope.roots)})`
    : sql`(
  with recursive below(id) as (
    select id from tasks where public_id = ${scope.below}
    union all
    select c.id from below join tasks c on c.parent_id = below.id
  ) select id from below)`

/** Tasks with their conversations, without any text of theirs: many are gone through. */
export async function readForest(context: ReadContext, scope: ForestScope, q: string | undefined): Promise<Forest> {
  const { db } = context
  const hasTitle = q === undefined ? sql`1 = 1` : context.capabilities.containsFolded(sql.ref('t.title'), q)
  const keys = keysOf(context, scope)
  const { rows } = await sql<TaskColumns>`
    select t.id as key, t.public_id as id, t.status, t.waiting_for, t.offered_to, t.parent_id, t.dir,
           t.last_session_native_id as last_session, t.updated_at, t.finished_at, case when ${hasTitle} then 1 else 0 end as has_title
      from tasks t where t.id in ${keys} order by t.id
  `.execute(db)
  const tasks = new Map(rows.map((row) => [row.key, toTask(row)]))
  const roots: ForestTask[] = []
  for (const task of tasks.values()) {
    const parent = task.parentKey === null ? undefined : tasks.get(task.parentKey)
    if (parent === undefined) roots.push(task)
    else parent.children.push(task)
  }
  const sessions = await hangSessions(context, tasks, keys)
  await markAsking(context, tasks)
  return { tasks, sessions, roots }
}

const toTask = (row: TaskColumns): ForestTask => ({
  key: row.key,
  id: row.id,
  status: shownStatus(row.status, { isOffered: row.offered_to !== null, hasQuestion: false }),
  isWaiting: row.status === 'paused' || (row.status === 'pending' && row.waiting_for !== null),
  parentKey: row.parent_id,
  dir: row.dir,
  lastSession: row.last_session,
  updatedAt: row.updated_at,
  finishedAt: row.finished_at,
  hasTitle: row.has_title === 1,
  children: [],
  sessions: [],
  live: [],
  hasQuestion: false,
})

interface AttemptColumns {
  task: number
  is_live: number
  session: number | null
  native_id: SessionId | null
  project: number | null
  last_event_at: number | null
}

async function hangSessions(
  { db, capabilities }: ReadContext,
  tasks: ReadonlyMap<number, ForestTask>,
  keys: RawBuilder<unknown>,
): Promise<Map<number, ForestSession>> {
  const conversation = sql.raw<string>(capabilities.jsonText('a.conversation', 'sessionId'))
  const { rows } = await sql<AttemptColumns>`
    select a.task_id as task, case when a.ended_at is null then 1 else 0 end as is_live, s.id as session, s.native_id,
           s.project_id as project, s.last_event_at
      from attempts a left join sessions s on s.native_id = ${conversation} where a.task_id in ${keys} order by a.id
  `.execute(db)
  const sessions = new Map<number, ForestSession>()
  for (const row of rows) {
    const task = tasks.get(row.task)
    if (task === undefined) continue
    if (row.is_live === 1) task.live.push(row.session)
    if (row.session === null || row.native_id === null) continue
    if (!task.sessions.includes(row.session)) task.sessions.push(row.session)
    sessions.set(row.session, {
      key: row.session,
      id: row.native_id,
      projectId: row.project,
      lastEventAt: row.last_event_at ?? 0,
    })
  }
  return sessions
}

async function markAsking({ db }: ReadContext, tasks: ReadonlyMap<number, ForestTask>): Promise<void> {
  const open = await db
    .selectFrom('questions')
    .select(['task_id', (eb) => eb.fn.countAll<number>().as('count')])
    .where('status', '=', 'open')
    .groupBy('task_id')
    .execute()
  for (const { task_id, count } of open) {
    const task = tasks.get(task_id)
    if (task === undefined) continue
    task.hasQuestion = count > 0
    if (task.status === 'in_progress') task.status = shownWork(task.status, task.hasQuestion)
  }
}

/** A task and everything below it, the outermost first. */
export function* withBelow(task: ForestTask): Generator<ForestTask> {
  const open = [task]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next
    open.push(...next.children)
  }
}

/** Keys of all conversations below a task, each once. */
export function sessionsBelow(task: ForestTask): Set<number> {
  const keys = new Set<number>()
  for (const one of withBelow(task)) for (const key of one.sessions) keys.add(key)
  return keys
}

/** When anything of a task or of what is below it was last heard of. */
export function heardBelow(task: ForestTask, sessions: ReadonlyMap<number, ForestSession>): number {
  let at = 0
  for (const one of withBelow(task)) {
    at = Math.max(at, one.updatedAt)
    for (const key of one.sessions) at = Math.max(at, sessions.get(key)?.lastEventAt ?? 0)
  }
  return at
}
