import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { CostRequest } from '../../domain/cost/cost'
import { AppError } from '../../domain/errors'
import type { TaskId } from '../../domain/ids'
import type { TaskSpan } from '../record/task-spans'
import type { ReadContext } from '../sql/read-context'
import { findProject, type Projects } from '../tree-levels/projects'
import { isIn } from '../tree-levels/scope'
import { isInSpan, readSpansOf } from './task-spans'

/** Which messages are meant. */
export interface MessageConditions {
  /** For messages `u`, and for sums of a session's messages, but for the time. */
  where: RawBuilder<SqlBool>
  /** For messages `u`. */
  inTime: RawBuilder<SqlBool>
  /** The same as `where` for sums of hours `u`; `null` = those do not know it. */
  ofHours: RawBuilder<SqlBool> | null
}

/** @throws `not_found` */
export async function messagesOf(
  context: ReadContext,
  request: Omit<CostRequest, 'by' | 'limit'>,
  projects: Projects,
): Promise<MessageConditions> {
  const { since, until, project, model, agent, sessionId, taskId } = request
  const { db, capabilities } = context
  const where: RawBuilder<SqlBool>[] = [sql`1 = 1`]
  const ofHours: RawBuilder<SqlBool>[] = [sql`1 = 1`]
  if (model !== undefined) {
    where.push(sql`u.model = ${model}`)
    ofHours.push(sql`u.model = ${model}`)
  }
  if (agent !== undefined) {
    where.push(sql`u.session_id in (select s.id from sessions s where s.agent = ${agent})`)
    ofHours.push(sql`u.agent = ${agent}`)
  }
  if (project !== undefined) {
    const rows = rowsOf(project, projects)
    where.push(sql`u.session_id in (select s.id from sessions s where ${isIn(context, { projects: rows })})`)
    ofHours.push(
      rows === null ? sql`u.project_id is null` : sql`${capabilities.inKeys(sql.ref<number>('u.project_id'), rows)}`,
    )
  }
  if (sessionId !== undefined) {
    const found = await db.selectFrom('sessions').select('id').where('native_id', '=', sessionId).executeTakeFirst()
    if (found === undefined) throw new AppError('not_found', `There is no session ${sessionId}.`)
    where.push(sql`u.session_id = ${found.id}`)
  }
  if (taskId !== undefined) {
    const key = await taskKey(context, taskId)
    where.push(isOfTask(context, key, await readSpansOf(context, [key])))
  }
  const all = (conditions: RawBuilder<SqlBool>[]) => sql<SqlBool>`${sql.join(conditions, sql` and `)}`
  const isKnown = sessionId === undefined && taskId === undefined
  return { where: all(where), inTime: isBetween(since, until), ofHours: isKnown ? all(ofHours) : null }
}

/** For messages `u`; one whose time is not known is in none. */
export function isBetween(since: number | undefined, until: number | undefined): RawBuilder<SqlBool> {
  if (since === undefined) return until === undefined ? sql`1 = 1` : sql`u.at < ${until}`
  return until === undefined ? sql`u.at >= ${since}` : sql`(u.at >= ${since} and u.at < ${until})`
}

function rowsOf(project: string | null, projects: Projects): number[] | null {
  if (project === null) return null
  const group = findProject(projects, project)
  if (group !== undefined) return group.ids
  throw new AppError('not_found', `There is no project ${project}.`, {
    hint: "Run `lode cost list --by project`. Give a project's folder, name or ID.",
  })
}

async function taskKey({ db }: ReadContext, id: TaskId): Promise<number> {
  const found = await db.selectFrom('tasks').select('id').where('public_id', '=', id).executeTakeFirst()
  if (found === undefined) throw new AppError('not_found', `There is no task ${id}.`)
  return found.id
}

/** Sessions that were this task's alone, and of others the messages that came while it had them. */
function isOfTask(
  { capabilities }: ReadContext,
  task: number,
  spans: ReadonlyMap<number, TaskSpan[]>,
): RawBuilder<SqlBool> {
  const whole: number[] = []
  const parts: RawBuilder<unknown>[] = []
  for (const [session, all] of spans) {
    all.forEach((span, at) => {
      if (span.task !== task) return
      if (all.length === 1) whole.push(session)
      else parts.push(sql`(u.session_id = ${session} and ${isInSpan(all, at)})`)
    })
  }
  return sql`(${sql.join([capabilities.inKeys(sql.ref<number>('u.session_id'), whole), ...parts], sql` or `)})`
}
