import { sql } from 'kysely'
import type { FacetCount, SearchFacets } from '../../domain/conversation/event-store'
import { SEARCH_KINDS, type SearchKind } from '../../domain/conversation/search-query'
import type { ReadContext } from '../sql/read-context'

/** Values of one filter that are named. */
const MOST_VALUES = 20

/** Counts events by what the filters of the search tell apart. */
export async function facetsOf({ db, capabilities }: ReadContext, events: readonly number[]): Promise<SearchFacets> {
  const { rows } = await sql<{
    type: string
    tool: string | null
    is_error: number | null
    agent: string
    session: string
    project: string | null
  }>`
    select e.type, coalesce(u.name, e.tool_name) as tool, u.is_error, s.agent, s.native_id as session, p.root as project
      from conversation_events e
      join sessions s on s.id = e.session_id
      left join projects p on p.id = s.project_id
      left join tool_uses u on u.session_id = e.session_id and u.tool_use_id = e.tool_use_id
     where ${capabilities.inKeys(sql.ref<number>('e.id'), events)}
  `.execute(db)
  const counts = {
    is: new Map(),
    tool: new Map(),
    agent: new Map(),
    project: new Map(),
    session: new Map(),
  } satisfies {
    [Name in keyof SearchFacets]: Map<string, number>
  }
  // Counted here: nearly each row is a group of its own, and the database would sort them.
  const add = (to: Map<string, number>, value: string | null) =>
    value === null ? undefined : to.set(value, (to.get(value) ?? 0) + 1)
  for (const row of rows) {
    const isError = row.type === 'error' || (row.type === 'tool_result' && Number(row.is_error) === 1)
    for (const kind of KINDS) if (KIND_TYPES[kind].has(row.type)) add(counts.is, kind)
    if (isError && row.type !== 'error') add(counts.is, 'error')
    add(counts.tool, row.tool)
    add(counts.agent, row.agent)
    add(counts.project, row.project)
    add(counts.session, row.session)
  }
  const list = (of: Map<string, number>): FacetCount[] =>
    Array.from(of, ([value, count]) => ({ value, count }))
      .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
      .slice(0, MOST_VALUES)
  const { is, tool, agent, project, session } = counts
  return { is: list(is), tool: list(tool), agent: list(agent), project: list(project), session: list(session) }
}

const KINDS = Object.keys(SEARCH_KINDS) as SearchKind[]
const KIND_TYPES = Object.fromEntries(
  Object.entries(SEARCH_KINDS).map(([kind, types]) => [kind, new Set<string>(types)]),
) as Record<SearchKind, Set<string>>
