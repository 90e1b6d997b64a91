/** What tasks, and messages to and from them, quote of a session that is forgotten. */
import type { Kysely } from 'kysely'
import { type AttemptKey, address, type SessionId, type TaskKey } from '../../../domain/ids'
import type { ForgottenWork } from '../../../domain/session/session-store'
import { isFinal } from '../../../domain/task/task'
import { forgetMessages } from '../../registry/writes'
import { programDriver } from '../../sql/program-driver'
import type { Schema } from '../../sql/tables'

/** Stands for a text that must not be empty. */
const GONE = '(forgotten)'

interface Run {
  key: AttemptKey
  task: TaskKey
  number: number
  session: string
}

/**
 * Empties what a run in the session left: its task's log, progress, output, questions. The task's own text goes as well, unless somebody
 * still has to work by it, or another session had it too and has it in its own lines.
 */
export async function forgetWork(db: Kysely<Schema>, session: SessionId): Promise<ForgottenWork> {
  const all = await runsOfTasksIn(db, session)
  const outcome: ForgottenWork = { tasks: [], keptTasks: [], attempts: [] }
  for (const [key, runs] of Map.groupBy(all, ({ task }) => task)) {
    const task = await db
      .selectFrom('tasks')
      .select(['public_id', 'status', 'last_session_native_id'])
      .where('id', '=', key)
      .executeTakeFirstOrThrow()
    const own = runs.filter((run) => run.session === session)
    const isWhole = isFinal(task.status) && own.length === runs.length
    await forgetRuns(db, key, own, isWhole)
    if (task.last_session_native_id === session)
      await db
        .updateTable('tasks')
        .set({ output: null, progress: null, failure_reason: null })
        .where('id', '=', key)
        .execute()
    if (isWhole) await forgetText(db, key)
    if (isWhole) await programDriver(db)(forgetMessages(address(task.public_id)))
    await db
      .updateTable('feed')
      .set({ data: JSON.stringify({ taskId: task.public_id }) })
      .where('data', 'like', `%"taskId":"${task.public_id}"%`)
      .execute()
    outcome[isWhole ? 'tasks' : 'keptTasks'].push(task.public_id)
    if (isFinal(task.status)) outcome.attempts.push(...own.map((run) => run.id))
  }
  return outcome
}

/** Every attempt that has a conversation, of each task that had one in the session. */
async function runsOfTasksIn(
  db: Kysely<Schema>,
  session: SessionId,
): Promise<(Run & { id: ForgottenWork['attempts'][number] })[]> {
  const rows = await db
    .selectFrom('attempts')
    .select(['id', 'public_id', 'task_id', 'number', 'conversation'])
    .where('conversation', 'is not', null)
    .where('task_id', 'in', (eb) =>
      // An id may hold signs of patterns: what fits is looked at below.
      eb.selectFrom('attempts as own').select('own.task_id').where('own.conversation', 'like', `%${session}%`),
    )
    .execute()
  const runs = rows.map(({ id: key, public_id: id, task_id: task, number, conversation }) => ({
    key,
    id,
    task,
    number,
    session: (JSON.parse(conversation ?? '{}') as { sessionId?: string }).sessionId ?? '',
  }))
  const own = new Set(runs.filter((run) => run.session === session).map(({ task }) => task))
  return runs.filter(({ task }) => own.has(task))
}

/** @param isWhole  every line of the task's log, not those of these runs alone */
async function forgetRuns(db: Kysely<Schema>, task: TaskKey, runs: readonly Run[], isWhole: boolean): Promise<void> {
  const keys = runs.map(({ key }) => key)
  await db.updateTable('attempts').set({ failure_reason: null, wish_reason: null }).where('id', 'in', keys).execute()
  await db
    .updateTable('questions')
    .set({ input: 'null', is_cut: 0, description: null, message: null })
    .where('attempt_id', 'in', keys)
    .execute()
  let lines = db.updateTable('task_log').set({ text: '' }).where('task_id', '=', task)
  if (!isWhole)
    lines = lines.where(
      'attempt',
      'in',
      runs.map(({ number }) => number),
    )
  await lines.execute()
}

async function forgetText(db: Kysely<Schema>, task: TaskKey): Promise<void> {
  await db
    .updateTable('tasks')
    .set({
      title: GONE,
      text: GONE,
      reason: '',
      dispatch_reason: null,
      output: null,
      progress: null,
      failure_reason: null,
      tags: '[]',
    })
    .where('id', '=', task)
    .execute()
  await db.updateTable('attempts').set({ dispatch_reason: '' }).where('task_id', '=', task).execute()
  await db.updateTable('rejections').set({ reason: null }).where('task_id', '=', task).execute()
}
