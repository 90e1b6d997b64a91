import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Answers } from '#api/contract/operations/index'
import { MINUTE_MS } from '#domain/time-units'
import { client } from '../../lib/api'

export type DayAnswer = Answers['days']['show']
export type Lane = DayAnswer['lanes'][number]
export type Moment = Answers['days']['moment']
export type PastSession = Moment['sessions'][number]
export type PastAgent = PastSession['agents']['shown'][number]
export type Deed = NonNullable<PastSession['doing']>

/** Which sessions. Times in milliseconds. */
export interface DayScope {
  from: number
  to: number
  project: string | undefined
  agent: string | undefined
}

const input = ({ from, to, project, agent }: DayScope) => ({
  since: new Date(from).toISOString(),
  until: new Date(to).toISOString(),
  ...(project !== undefined && { project }),
  ...(agent !== undefined && { agent }),
})

/** When a day's sessions were at work. A day that goes on is read again once a minute. */
export const useDay = (scope: DayScope, isToday: boolean) =>
  useQuery({
    queryKey: ['day', scope],
    queryFn: ({ signal }) => client.days.show(input(scope), { signal }),
    refetchInterval: isToday ? MINUTE_MS : false,
  })

/** How a day's sessions were at a moment, ISO 8601. While a replay goes on, the former moment stays until the next one is there. */
export const useMoment = (scope: DayScope, at: string | null, limit: number) =>
  useQuery({
    queryKey: ['day', scope, 'moment', at, limit],
    queryFn: ({ signal }) => client.days.moment({ ...input(scope), at: at ?? '', limit }, { signal }),
    enabled: at !== null,
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  })
