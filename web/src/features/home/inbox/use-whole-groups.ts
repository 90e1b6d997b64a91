import { type UseQueryResult, useQueries } from '@tanstack/react-query'
import { useCallback } from 'react'
import { MAX_NEEDS } from '#api/contract/protocol'
import type { AgentName } from '#domain/ids'
import { client } from '../../../lib/api'
import type { Need } from '../needs'
import { readGroup } from './read-group'

interface WholeGroups {
  /** The needs of each cause that is loaded, at most `MAX_GROUP`. */
  loaded: ReadonlyMap<string, readonly Need[]>
  /** Causes that could not be loaded, too. */
  settled: ReadonlySet<string>
}

/** Loads all needs of causes of which a list has some, so that one decision is for all of them. */
export function useWholeGroups(causes: readonly string[], agent: AgentName | undefined): WholeGroups {
  const key = causes.join(' ')
  const combine = useCallback(
    (results: UseQueryResult<Need[]>[]): WholeGroups => {
      const names = key.split(' ')
      const named = results.map((result, at) => [names[at] ?? '', result] as const)
      return {
        loaded: new Map(named.flatMap(([name, { data }]) => (data === undefined ? [] : [[name, data] as const]))),
        settled: new Set(named.flatMap(([name, { isPending }]) => (isPending ? [] : [name]))),
      }
    },
    [key],
  )
  return useQueries({
    queries: causes.map((cause) => ({
      queryKey: ['overview', 'cause', cause, agent ?? null],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        readGroup(async (skip) => (await client.overview({ cause, skip, limit: MAX_NEEDS, agent }, { signal })).needs),
      // As of the list itself. Milliseconds.
      refetchInterval: 30_000,
    })),
    combine,
  })
}
