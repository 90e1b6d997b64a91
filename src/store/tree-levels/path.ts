import { sql } from 'kysely'
import type { SessionId, TaskId } from '../../domain/ids'
import type { TreeEntry } from '../../domain/overview/tree-level'
import type { ReadContext } from '../sql/read-context'
import { projectEntry, taskEntries } from './entries'
import { readProjects } from './projects'

interface Above {
  key: number
  dir: string | null
  last_session: SessionId | null
}

/** The project and the tasks down to this one. Empty = there is no such task. */
export async function pathToTask(context: ReadContext, id: TaskId): Promise<TreeEntry[]> {
  const { rows } = await sql<Above>`
    with recursive up(id, parent_id, step) as (
      select id, parent_id, 0 from tasks where public_id = ${id}
      union all
      select p.id, p.parent_id, up.step + 1 from up join tasks p on p.id = up.parent_id
    )
    select t.id as key, t.dir, t.last_session_native_id as last_session from up join tasks t on t.id = up.id order by up.step desc
  `.execute(context.db)
  const [top] = rows
  if (top === undefined) return []
  const entries = await taskEntries(
    context,
    rows.map(({ key }) => key),
  )
  const above = rows.flatMap(({ key }) => entries.get(key) ?? [])
  return [await projectOf(context, top), ...above].map(onTheWay)
}

/** What stands above a session: the task that had it last, or its project alone. */
export async function pathToSession(
  context: ReadContext,
  session: { id: SessionId; projectId: number | null },
): Promise<TreeEntry[]> {
  const conversation = sql.raw<string>(context.capabilities.jsonText('a.conversation', 'sessionId'))
  const { rows } = await sql<{ id: TaskId }>`
    select t.public_id as id from attempts a join tasks t on t.id = a.task_id
     where ${conversation} = ${session.id} order by a.id desc limit 1
  `.execute(context.db)
  const [task] = rows
  if (task !== undefined) return await pathToTask(context, task.id)
  const projects = await readProjects(context)
  const key = projects.ofRow(session.projectId)
  return [onTheWay(projectEntry(key === null ? null : (projects.groups.get(key) ?? null)))]
}

async function projectOf(context: ReadContext, { last_session, dir }: Above): Promise<TreeEntry> {
  const projects = await readProjects(context)
  const found =
    last_session === null
      ? undefined
      : await context.db
          .selectFrom('sessions')
          .select('project_id')
          .where('native_id', '=', last_session)
          .executeTakeFirst()
  const key = projects.ofRow(found?.project_id ?? null) ?? projects.around(dir)
  return projectEntry(key === null ? null : (projects.groups.get(key) ?? null))
}

/** Something stands below it: what was asked for. */
const onTheWay = (entry: TreeEntry): TreeEntry => ({ ...entry, childCount: 1 })
