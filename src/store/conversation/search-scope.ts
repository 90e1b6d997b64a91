/** What the filters of a search ask of an event `e` and its session `s`, the same on both databases. */
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { SEARCH_KINDS, type SearchFilters, type SearchKind } from '../../domain/conversation/search-query'
import type { ReadCapabilities } from '../sql/read-context'

/** @returns `undefined` if the filters leave everything */
export function scopeOf(
  capabilities: ReadCapabilities,
  filters: SearchFilters,
  agent: string | undefined,
): RawBuilder<SqlBool> | undefined {
  const { kinds, tools, agents, projects, sessions, before, after } = filters
  const all = [
    anyOf(kinds, isOfKind),
    anyOf(
      tools,
      (tool) => sql<SqlBool>`exists (select 1 from tool_uses u where u.session_id = e.session_id
      and u.tool_use_id = e.tool_use_id and ${beginsAs(sql`lower(u.name)`, tool)})`,
    ),
    anyOf(agents, (name) => sql<SqlBool>`s.agent = ${name}`),
    agent === undefined ? undefined : sql<SqlBool>`s.agent = ${agent}`,
    anyOf(
      projects,
      (part) => sql<SqlBool>`(${hasPart(capabilities, sql`s.cwd`, part)} or exists (select 1 from projects p
      where p.id = s.project_id and ${hasPart(capabilities, sql`p.root`, part)}))`,
    ),
    anyOf(sessions, (id) => begins(sql`s.native_id`, id)),
    before === undefined ? undefined : sql<SqlBool>`e.at < ${before}`,
    after === undefined ? undefined : sql<SqlBool>`e.at >= ${after}`,
  ].filter((one) => one !== undefined)
  return all.length === 0 ? undefined : sql<SqlBool>`(${sql.join(all, sql` and `)})`
}

/** Whether a text holds the part, whatever the case of its letters. No character of the part has a meaning of its own. */
export const hasPart = ({ contains }: ReadCapabilities, text: RawBuilder<unknown>, part: string): RawBuilder<SqlBool> =>
  contains(sql`lower(${text})`, part)

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
  return sql<SqlBool>`(${types} or (e.type = 'tool_result' and exists (select 1 from tool_uses u
    where u.session_id = e.session_id and u.tool_use_id = e.tool_use_id and u.is_error = 1)))`
}
