/** The outermost tasks, as the triggers of `migrations/tasks/work-places.ts` keep them: a level reads only those that it shows. */
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { ReadContext } from '../sql/read-context'
import type { Heard } from './page'
import type { Projects } from './projects'

export type Condition = RawBuilder<SqlBool>

/** The key of a group; `null` = work of no project. */
export type GroupKey = string | null

/** Tasks stand before sessions of the same time. */
export const TASK = 0
export const SESSION = 1

/** By what outermost tasks `r` belong to a project: their last session's, else the one around the folder asked for. */
export const PLACE = sql.raw('r.project_id as project, case when r.project_id is null then r.dir end as dir')
export interface PlaceColumns {
  project: number | null
  dir: string | null
}
export const groupOf = ({ project, dir }: PlaceColumns, projects: Projects): GroupKey =>
  projects.ofRow(project) ?? projects.around(dir)

/** Outermost tasks by place: how many there are, and when one of them was heard of last. @param where  `undefined` = all, which an index tells */
export async function countRoots(
  { db }: ReadContext,
  where: Condition | undefined,
): Promise<(PlaceColumns & { count: number; at: number })[]> {
  const { rows } = await (where === undefined
    ? sql<PlaceColumns & { count: number; at: number }>`
          select r.project_id as project, null as dir, count(*) as count, max(r.heard_at) as at from work_roots r
           where r.project_id is not null group by r.project_id
          union all select null, r.dir, count(*), max(r.heard_at) from work_roots r where r.project_id is null group by r.dir`
    : sql<PlaceColumns & { count: number; at: number }>`
          select ${PLACE}, count(*) as count, max(r.heard_at) as at from work_roots r where ${where} group by 1, 2`
  ).execute(db)
  return rows
}

/** Whether an outermost task `r` belongs to a project. */
export async function isOfGroup(
  { db, capabilities }: ReadContext,
  key: GroupKey,
  projects: Projects,
): Promise<Condition> {
  const { rows } = await sql<{
    dir: string | null
  }>`select distinct r.dir from work_roots r where r.project_id is null`.execute(db)
  const dirs = rows.map(({ dir }) => dir).filter((dir) => projects.around(dir) === key)
  const named = dirs.filter((dir) => dir !== null)
  const ways = [
    sql`${capabilities.inKeys(sql.ref<number>('r.project_id'), key === null ? [] : (projects.groups.get(key)?.ids ?? []))}`,
    sql`(r.project_id is null and ${capabilities.inTexts(sql.ref('r.dir'), named)})`,
  ]
  if (named.length < dirs.length) ways.push(sql`(r.project_id is null and r.dir is null)`)
  return sql`(${sql.join(ways, sql` or `)})`
}

/** Outermost tasks behind a place, what was heard of last first. @param limit  `null` = all */
export async function readRoots(
  { db }: ReadContext,
  where: Condition,
  after: Heard | undefined,
  limit: number | null,
): Promise<Heard[]> {
  // At the time of the place itself only tasks may follow, and only tasks.
  const isAfter =
    after === undefined
      ? sql`1 = 1`
      : after.sort === TASK
        ? sql`r.heard_at <= ${after.at} and (r.heard_at < ${after.at} or r.root_id < ${after.key})`
        : sql`r.heard_at < ${after.at}`
  const { rows } = await sql<{ key: number; at: number }>`
    select r.root_id as key, r.heard_at as at from work_roots r where ${where} and ${isAfter}
     order by r.heard_at desc, r.root_id desc ${limit === null ? sql`` : sql`limit ${limit}`}
  `.execute(db)
  return rows.map(({ key, at }) => ({ at, sort: TASK, key }))
}

/** Not below any task. */
export const IS_WITHOUT_TASK = sql<SqlBool>`not exists (select 1 from work_sessions w where w.session_id = s.id)`

/** Which sessions are counted. */
export interface CountedSessions {
  /** These rows of `projects`; `null` = none. Left out: all. */
  projects?: readonly number[] | null
  /** On sessions `s`, where `agent` does not say it all. */
  where?: Condition | undefined
  /** Only this agent CLI. */
  agent?: string | undefined
  /** What the answer is for all projects, where it is known already. */
  known?: ReadonlyMap<number | null, number> | undefined
}

/** Sessions that are not below any task, by their project's row. Where only the agent CLI is asked for, or nothing, two indexes tell. */
export async function countOtherSessions(
  { db, capabilities }: ReadContext,
  { projects, where, agent, known }: CountedSessions,
): Promise<{ project: number | null; count: number }[]> {
  if (known !== undefined)
    return Array.from(known, ([project, count]) => ({ project, count })).filter(
      ({ project }) =>
        projects === undefined || (project === null ? projects === null : projects?.includes(project) === true),
    )
  const among = (table: 's' | 'w'): Condition => {
    const project = sql.ref<number>(`${table}.project_id`)
    const ofProjects: Expression<SqlBool>[] =
      projects === undefined
        ? []
        : projects === null
          ? [sql<SqlBool>`${project} is null`]
          : // One project is the common case, and the index knows its sessions.
            [projects.length === 1 ? sql<SqlBool>`${project} = ${projects[0]}` : capabilities.inKeys(project, projects)]
    const ofAgent = agent === undefined ? [] : [sql`${sql.ref(`${table}.agent`)} = ${agent}`]
    return sql`${sql.join([sql`1 = 1`, ...ofProjects, ...ofAgent], sql` and `)}`
  }
  const { rows } = await (where === undefined
    ? sql<{ project: number | null; count: number }>`
          select s.project_id as project, count(*) as count from sessions s where ${among('s')} group by s.project_id
          union all select w.project_id, -count(distinct w.session_id) from work_sessions w where ${among('w')} group by w.project_id`
    : sql<{ project: number | null; count: number }>`
          select s.project_id as project, count(*) as count from sessions s
           where ${among('s')} and ${where} and ${IS_WITHOUT_TASK} group by s.project_id`
  ).execute(db)
  return rows
}
