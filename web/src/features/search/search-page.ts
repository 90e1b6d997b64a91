import { oneOf, type Search, textOf, writeSearch } from '../../lib/search'

/** Kinds of results. `words`: lines of conversations. */
export const SEARCH_KINDS = ['words', 'sessions', 'tasks', 'issues'] as const
export type SearchKind = (typeof SEARCH_KINDS)[number]

/** What the search page shows. */
export interface SearchPageSearch {
  q?: string
  /** Searches only this session; a unique prefix of its ID is enough. */
  session?: string
  /** Searches only sessions of this agent CLI, their words and titles. */
  agent?: string
  /** Default: all kinds. */
  kind?: SearchKind
}

/** Parses the search part of the search page. */
export function parseSearchPage(search: Search): SearchPageSearch {
  const q = textOf(search.q)
  const session = textOf(search.session)
  const agent = textOf(search.agent)
  const kind = oneOf(SEARCH_KINDS, search.kind)
  return {
    ...(q !== undefined && { q }),
    ...(session !== undefined && { session }),
    ...(agent !== undefined && { agent }),
    ...(kind && { kind }),
  }
}

/** Path of the search page. */
export const searchPath = (search: SearchPageSearch): string => `/search${writeSearch({ ...search })}`

const KINDS_WITH_AGENT: readonly SearchKind[] = ['words', 'sessions']

/** The kinds that a search covers. A single session is searched for words only; tasks and issues are of no agent CLI. */
export function kindsOf({ kind, session, agent }: SearchPageSearch): readonly SearchKind[] {
  if (session !== undefined) return ['words']
  const kinds = kind === undefined ? SEARCH_KINDS : [kind]
  return agent === undefined ? kinds : kinds.filter((each) => KINDS_WITH_AGENT.includes(each))
}
