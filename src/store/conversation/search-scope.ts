/** What the filters of a search ask of an event `e` and its session `s`, the same on both databases. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { SEARCH_KINDS, type SearchFilters, type SearchKind } from '../../domain/conversation/search-query'
import type { ReadCapabilities, SearchScope } from '../sql/read-context'

export function scopeOf(
  capabilities: ReadCapabilities,
  filters: SearchFilters,
  agent: string | undefined,
): SearchScope {
  const { kinds, tools, agents, projects, sessions, before, after } = filters
  return {
    sessions: allOf([
      anyOf(agents, (name) => sql<SqlBool>`s.agent = ${name}`),
      agent === undefined ? undefined : sql<SqlBool>`s.agent = ${agent}`,
      anyOf(
        projects,
        (part) => sql<SqlBool>`(${hasPart(capabilities, sql`s.cwd`, part)} or exists (select 1 from projects p
      where p.id = s.project_id and ${hasPart(capabilities, sql`p.root`, part)}))`,
      ),
      anyOf(sessions, (id) => begins(sql`s.native_id`, id)),
      // What the time of each event says too: whole sessions need not be looked at.
      before === undefined ? undefined : sql<SqlBool>`(s.started_at is null or s.started_at < ${before})`,
      after === undefined ? undefined : sql<SqlBool>`(s.last_event_at is null or s.last_event_at >= ${after})`,
    ]),
    events: allOf([
      anyOf(kinds, isOfKind),
      anyOf(tools, (tool) => beginsAs(ofCall('lower(u.name)'), tool)),
      before === undefined ? undefined : sql<SqlBool>`e.at < ${before}`,
      after === undefined ? undefined : sql<SqlBool>`e.at >= ${after}`,
    ]),
    isFailed: kinds.length === 1 && kinds[0] === 'error',
  }
}

/** The scope with one more condition on the event. */
export const alsoOfEvent = (scope: SearchScope, conditions: RawBuilder<SqlBool>[]): SearchScope => ({
  ...scope,
  events: allOf([scope.events, ...conditions]),
})

/** What is left of the scope for an event `e`, without its session's row. */
export const ofEvent = ({ sessions, events }: SearchScope): RawBuilder<SqlBool> | undefined =>
  allOf([
    sessions === undefined ? undefined : sql<SqlBool>`e.session_id in (select s.id from sessions s where ${sessions})`,
    events,
  ])

function allOf(conditions: (RawBuilder<SqlBool> | undefined)[]): RawBuilder<SqlBool> | undefined {
  const all = conditions.filter((one) => one !== undefined)
  return all.length === 0 ? undefined : sql<SqlBool>`(${sql.join(all, sql` and `)})`
}

/** Whether a text holds the part, whatever the case of its letters. No character of the part has a meaning of its own. */
export const hasPart = (
  { containsFolded }: ReadCapabilities,
  text: RawBuilder<unknown>,
  part: string,
): RawBuilder<SqlBool> => containsFolded(text, part)

/** Whether a text is the name, or begins with it if the name ends with `*`. */
const beginsAs = (text: RawBuilder<unknown>, name: string): RawBuilder<SqlBool> =>
  name.endsWith('*') ? begins(text, name.slice(0, -1)) : sql<SqlBool>`${text} = ${name}`

const begins = (text: RawBuilder<unknown>, beginning: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`substr(${text}, 1, ${[...beginning].length}) = ${beginning}`

function anyOf<T>(list: readonly T[], one: (value: T) => RawBuilder<SqlBool>): RawBuilder<SqlBool> | undefined {
  return list.length === 0 ? undefined : sql<SqlBool>`(${sql.join(list.map(one), sql` or `)})`
}

function isOfKind(kind: SearchKind): RawBuilder<SqlBool> {
  const types = sql<SqlBool>`e.type in (${sql.join([...SEARCH_KINDS[kind]])})`
  if (kind !== 'error') return types
  return sql<SqlBool>`(${types} or (e.type = 'tool_result' and ${ofCall('u.is_error')} = 1))`
}

/**
 * Something of the event's tool call; null without one. As a value: of an `exists` PostgreSQL makes a join, and goes through all calls
 * for the few events that are looked at.
 */
const ofCall = (what: 'lower(u.name)' | 'u.is_error'): RawBuilder<unknown> =>
  sql`(select ${sql.raw(what)} from tool_uses u where u.session_id = e.session_id and u.tool_use_id = e.tool_use_id)`
