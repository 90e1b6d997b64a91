import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Answers } from '#api/contract/operations/index'
import type { SessionId } from '#domain/ids'
import { client } from '../../lib/api'

export type Comparison = Answers['sessions']['diff']
export type Side = Comparison['first']

/** Two sessions: what they share, and the first turns of each behind that. @param limit  turns of each */
export const useComparison = (a: SessionId, b: SessionId, limit: number) =>
  useQuery({
    queryKey: ['session', a, 'compare', b, limit],
    queryFn: ({ signal }) => client.sessions.diff(a, b, { limit }, { signal }),
    placeholderData: keepPreviousData,
  })

/** What came of a session: its files, commits and pull requests. */
export const useOutcomeOf = (id: SessionId | undefined) =>
  useQuery({
    queryKey: ['session', id, 'outcome'],
    queryFn: ({ signal }) => client.sessions.outcome(id ?? '', { signal }),
    enabled: id !== undefined,
  })
