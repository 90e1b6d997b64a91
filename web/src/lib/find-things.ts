import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ResponseOf } from '../../../src/api/contract/responses'
import { client } from './api'
import { ROW_TEXT } from './task-words'

export type FoundSession = ResponseOf<'sessions.list'>['sessions'][number]
export type FoundTask = ResponseOf<'tasks.list'>['tasks'][number]
export type FoundIssue = ResponseOf<'issues.list'>['issues'][number]

/** Hits in conversations, of one answer: the best of them. */
export const MOST_HITS = 100

/**
 * What is found stays until the next answer is there, and a search that nobody waits for any more is broken off. It is asked for anew by
 * who comes back, not by each line that is recorded: to look through everything is work.
 */
const FIND = { placeholderData: keepPreviousData, staleTime: 0 } as const

/** Lines of conversations that hold the words. */
export const useFoundWords = (q: string, session: string | undefined, isWanted: boolean) =>
  useQuery({
    ...FIND,
    queryKey: ['find', 'words', q, session],
    queryFn: ({ signal }) =>
      client.search({ q, limit: MOST_HITS, ...(session !== undefined && { sessionId: session }) }, { signal }),
    enabled: isWanted && q !== '',
  })

/** Sessions whose title or id hold the text. */
export const useFoundSessions = (q: string, limit: number, isWanted: boolean) =>
  useQuery({
    ...FIND,
    queryKey: ['find', 'sessions', q, limit],
    queryFn: ({ signal }) => client.sessions.list({ text: q.slice(0, 200), limit }, { signal }),
    enabled: isWanted && q !== '',
  })

/** Tasks whose text, title or id hold the words. */
export const useFoundTasks = (q: string, limit: number, isWanted: boolean) =>
  useQuery({
    ...FIND,
    queryKey: ['find', 'tasks', q, limit],
    queryFn: ({ signal }) => client.tasks.list({ text: q, limit, textLimit: ROW_TEXT }, { signal }),
    enabled: isWanted && q !== '',
  })

/** Issues of all projects whose title or id hold the words. */
export const useFoundIssues = (q: string, limit: number, isWanted: boolean) =>
  useQuery({
    ...FIND,
    queryKey: ['find', 'issues', q, limit],
    queryFn: ({ signal }) => client.issues.list({ text: q, all: true, limit }, { signal }),
    enabled: isWanted && q !== '',
  })
