import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { COUNTED_SPANS, SessionFacet, Span } from '../../../domain/session/session-list'
import type { SessionFilter } from '../../../domain/session/session-store'
import type { ReadContext } from '../../sql/read-context'
import { holdWords } from '../../sql/words/title-words'
import { type Projects, readProjects } from '../../tree-levels/projects'

export type Condition = RawBuilder<SqlBool>

/** What a filter asks of sessions: of each facet by itself, and the rest. */
export interface SessionConditions {
  facets: ReadonlyMap<SessionFacet, Condition>
  rest: readonly Condition[]
}

/** Facets that are spans of numbers, as the index `sessions_sums` has them. */
export const SPAN_COLUMNS = {
  errors: 'sessions.error_count',
  cost: 'sessions.cost_usd',
  length: '((sessions.last_event_at - sessions.started_at) / 1000)',
} as const satisfies Record<keyof typeof COUNTED_SPANS, string>

/** Conditions on rows of `sessions`. Projects are read only where one is named. */
export async function sessionConditions(context: ReadContext, filter: SessionFilter): Promise<SessionConditions> {
  const facets = new Map<SessionFacet, Condition>()
  const { agent, project, model, branch, host, person } = filter
  if (agent !== undefined) facets.set('agent', sql`sessions.agent = ${agent}`)
  if (project === null) facets.set('project', sql`sessions.project_id is null`)
  else if (project !== undefined)
    facets.set(
      'project',
      sql`${context.capabilities.inKeys(sql.ref<number>('sessions.project_id'), rowsOf(project, await readProjects(context)))}`,
    )
  if (model !== undefined) facets.set('model', equals('model', model))
  if (branch !== undefined) facets.set('branch', equals('git_branch', branch))
  if (host !== undefined)
    facets.set('host', sql`sessions.host_id in (select h.id from hosts h where h.hostname = ${host})`)
  if (person !== undefined) facets.set('person', isOf(person))
  for (const name of ['errors', 'cost', 'length'] as const) {
    const span = filter[name]
    if (span !== undefined) facets.set(name, isWithin(SPAN_COLUMNS[name], span))
  }
  return { facets, rest: restOf(context, filter) }
}

/** Whether the newest task whose conversation a session is was done for this person, whatever the project is. */
function isOf(person: string): Condition {
  const head = `${JSON.stringify([person]).slice(0, -1)},`
  return sql`substr(sessions.share, 1, ${sql.lit([...head].length)}) = ${head}`
}

/** All of them together. */
export const allOf = ({ facets, rest }: SessionConditions): Condition => both([...facets.values(), ...rest])

export const both = (conditions: readonly Condition[]): Condition =>
  sql`(${sql.join([sql`1 = 1`, ...conditions], sql` and `)})`

const equals = (column: string, value: string | null): Condition => {
  const ref = sql.ref(`sessions.${column}`)
  return value === null ? sql`${ref} is null` : sql`${ref} = ${value}`
}

function isWithin(expression: string, { from, below }: Span): Condition {
  const column = sql.raw(expression)
  const bounds: Condition[] = []
  if (from !== null) bounds.push(sql`${column} >= ${sql.lit(from)}`)
  if (below !== null) bounds.push(sql`${column} < ${sql.lit(below)}`)
  return both(bounds)
}

/** Names are not unique: all projects of that name are meant. */
function rowsOf(given: string, { groups }: Projects): number[] {
  const named = [...groups].filter(([key, { root, name }]) => [key, root, name].includes(given))
  return named.flatMap(([, { ids }]) => ids)
}

function restOf(context: ReadContext, { text, forkedFrom, under, since }: SessionFilter): Condition[] {
  const rest = holdWords(context.capabilities, ['sessions.title', 'sessions.native_id'], text ?? '')
  if (forkedFrom !== undefined)
    rest.push(
      sql`(sessions.forked_from = ${forkedFrom} or sessions.resumed_from = ${forkedFrom} or sessions.translated_from = ${forkedFrom})`,
    )
  if (since !== undefined) rest.push(sql`sessions.last_event_at >= ${since}`)
  if (under !== undefined) {
    const folder = under === '/' ? '' : under.replace(/\/+$/, '')
    const below = `${folder}/`
    rest.push(
      sql`(sessions.cwd = ${folder === '' ? '/' : folder} or substr(sessions.cwd, 1, ${sql.lit([...below].length)}) = ${below})`,
    )
  }
  return rest
}
