import { oneOf, type Search, textOf, writeSearch } from './search'

/** What a search can be narrowed to. `words`: what was said and called in conversations. */
export const SEARCH_KINDS = ['words', 'sessions', 'tasks', 'issues'] as const
export type SearchKind = (typeof SEARCH_KINDS)[number]

export interface SearchPageSearch {
  q?: string
  /** Only what this session holds; a beginning of its id will do. */
  session?: string
  /** Left out: everything. */
  kind?: SearchKind
}

export function parseSearchPage(search: Search): SearchPageSearch {
  const q = textOf(search.q)
  const session = textOf(search.session)
  const kind = oneOf(SEARCH_KINDS, search.kind)
  return { ...(q !== undefined && { q }), ...(session !== undefined && { session }), ...(kind && { kind }) }
}

export const searchPath = (search: SearchPageSearch): string => `/search${writeSearch({ ...search })}`

/** What is looked for at all: of one session only its words are. */
export function kindsOf({ kind, session }: SearchPageSearch): readonly SearchKind[] {
  if (session !== undefined) return ['words']
  return kind === undefined ? SEARCH_KINDS : [kind]
}
