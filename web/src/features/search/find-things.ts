import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Answers } from '#api/contract/operations/index'
import { ownTimeZone } from '#domain/cost/zone-days'
import { client } from '../../lib/api'
import { ROW_TEXT } from '../task/task-words'
import { titleSearch } from './search-page'

export type FoundSession = Answers['sessions']['list']['sessions'][number]
export type FoundTask = Answers['tasks']['list']['tasks'][number]
export type FoundIssue = Answers['issues']['list']['issues'][number]

/** Characters of a text that the API takes to search sessions by. */
const MAX_SESSION_TEXT_CHARACTERS = 200
/** Hits in conversations at most. */
export const MAX_HITS = 100

/**
 * Results stay until the next response arrives, and superseded searches are cancelled. Searching everything is expensive, so results are
 * refetched when somebody returns to the page, not whenever a line is recorded.
 */
const SEARCH_OPTIONS = { placeholderData: keepPreviousData, staleTime: 0 } as const

interface WordSearch {
  session?: string | undefined
  agent?: string | undefined
  limit?: number
  /** Whether matches are counted by sort. */
  wantsFacets?: boolean
}

/** Lines of conversations that contain the words. */
export const useFoundWords = (
  q: string,
  { session, agent, limit = MAX_HITS, wantsFacets = true }: WordSearch,
  isWanted: boolean,
) =>
  useQuery({
    ...SEARCH_OPTIONS,
    queryKey: ['find', 'words', q, session, agent, limit],
    queryFn: ({ signal }) =>
      client.search(
        {
          q,
          limit,
          facets: wantsFacets,
          timeZone: ownTimeZone(),
          ...(session !== undefined && { sessionId: session }),
          ...(agent && { agent }),
        },
        { signal },
      ),
    enabled: isWanted && q !== '',
  })

/** Sessions whose title or ID contains the words of the query; all of an agent CLI that it names without words. */
export const useFoundSessions = (q: string, agent: string | undefined, limit: number, isWanted: boolean) => {
  const { text, agent: named } = titleSearch(q)
  const of = agent ?? named
  return useQuery({
    ...SEARCH_OPTIONS,
    queryKey: ['find', 'sessions', text, of, limit],
    queryFn: ({ signal }) =>
      client.sessions.list(
        {
          limit,
          ...(text !== '' && { text: text.slice(0, MAX_SESSION_TEXT_CHARACTERS) }),
          ...(of && { agent: of }),
        },
        { signal },
      ),
    enabled: isWanted && q !== '' && (text !== '' || of !== undefined),
  })
}

/** Tasks whose text, title or ID contains the words of the query. */
export const useFoundTasks = (q: string, limit: number, isWanted: boolean) => {
  const { text } = titleSearch(q)
  return useQuery({
    ...SEARCH_OPTIONS,
    queryKey: ['find', 'tasks', text, limit],
    queryFn: ({ signal }) => client.tasks.list({ text, limit, textLimit: ROW_TEXT }, { signal }),
    enabled: isWanted && text !== '',
  })
}

/** Issues of all projects whose title or ID contains the words of the query. */
export const useFoundIssues = (q: string, limit: number, isWanted: boolean) => {
  const { text } = titleSearch(q)
  return useQuery({
    ...SEARCH_OPTIONS,
    queryKey: ['find', 'issues', text, limit],
    queryFn: ({ signal }) => client.issues.list({ text, all: true, limit }, { signal }),
    enabled: isWanted && text !== '',
  })
}
