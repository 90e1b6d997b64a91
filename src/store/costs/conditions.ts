import { type RawBuilder, sql } from 'kysely'
import type { CostRequest } from '../../domain/cost/cost'
import { AppError } from '../../domain/errors'
import type { TaskId } from '../../domain/ids'
import type { ReadContext } from '../sql/read-context'
import { findProject, type Projects } from '../tree-levels/projects'
import { isIn } from '../tree-levels/scope'
import { isInSpan, type TaskSpan } from './task-spans'

/** Which messages `u` a request means. @throws `not_found` */
export async function messagesOf(
  context: ReadContext,
  request: CostRequest,
  { projects, spans }: { projects: Projects; spans: ReadonlyMap<number, TaskSpan[]> },
): Promise<RawBuilder<unknown>> {
  const { since, until, project, model, agent, sessionId, taskId } = request
  const conditions: RawBuilder<unknown>[] = [sql`1 = 1`]
  if (since !== undefined) conditions.push(sql`u.at >= ${since}`)
  if (until !== undefined) conditions.push(sql`u.at < ${until}`)
  if (model !== undefined) conditions.push(sql`u.model = ${model}`)
  if (agent !== undefined) conditions.push(sql`u.session_id in (select s.id from sessions s where s.agent = ${agent})`)
  if (project !== undefined)
    conditions.push(
      sql`u.session_id in (select s.id from sessions s where ${isIn(context, { projects: rowsOf(project, projects) })})`,
    )
  if (sessionId !== undefined) {
    const found = await context.db
      .selectFrom('sessions')
      .select('id')
      .where('native_id', '=', sessionId)
      .executeTakeFirst()
    if (found === undefined) throw new AppError('not_found', `There is no session ${sessionId}.`)
    conditions.push(sql`u.session_id = ${found.id}`)
  }
  if (taskId !== undefined) conditions.push(isOfTask(context, await taskKey(context, taskId), spans))
  return sql.join(conditions, sql` and `)
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
): RawBuilder<unknown> {
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
