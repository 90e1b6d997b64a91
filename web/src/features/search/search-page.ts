import { stemmer } from 'stemmer'
import { splitSearch } from '#domain/conversation/search-query'
import { AGENT_NAME } from '#domain/ids'
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

/**
 * The kinds that a search covers. A single session is searched for words only; tasks and issues are of no agent CLI, and all other filters
 * are of lines alone. None where the query asks nothing of the chosen kind.
 */
export function kindsOf({ q, kind, session, agent }: SearchPageSearch): readonly SearchKind[] {
  if (session !== undefined) return ['words']
  const kinds = kind === undefined ? SEARCH_KINDS : [kind]
  const title = titleSearch(q ?? '')
  const hasAgent = agent !== undefined || title.agent !== undefined
  const hasWords = q === undefined || title.text !== ''
  return kinds.filter((each) => {
    if (each === 'words') return true
    if (title.isOfLines) return false
    return each === 'sessions' ? hasWords || hasAgent : hasWords && !hasAgent
  })
}

/** A shorter root of a word stands in many others. */
const LEAST_ROOT = 4

/** What the forms of a word have in common, since titles are searched for parts of words: `decid` of `decided`, which `decide` has too. */
function rootOf(word: string): string {
  if (!/^\p{L}{1,40}$/u.test(word)) return word
  const stem = stemmer(word.toLowerCase())
  return stem.length >= LEAST_ROOT && word.toLowerCase().startsWith(stem) ? word.slice(0, stem.length) : word
}

interface TitleSearch {
  /** Words that stand in a title or ID in any order, without the signs of the search. */
  text: string
  /** The agent CLI that the query names. */
  agent: string | undefined
  /** It has filters that no list of titles knows. */
  isOfLines: boolean
}

/** What of a query titles and IDs are searched for. */
export function titleSearch(q: string): TitleSearch {
  const { words, filters } = splitSearch(q)
  const [agent, ...others] = (filters.get('agent') ?? []).map((name) => name.toLowerCase())
  const isOne = agent !== undefined && others.length === 0 && AGENT_NAME.test(agent)
  return {
    text: words
      .replaceAll(/["*]/g, ' ')
      .split(/\s+/)
      .filter((word) => word !== '')
      .map(rootOf)
      .join(' '),
    agent: isOne ? agent : undefined,
    isOfLines: filters.size > (isOne ? 1 : 0),
  }
}
