import { useQuery } from '@tanstack/react-query'
import type { Answers } from '#api/contract/operations/index'
import type { EventId } from '#domain/ids'
import { client } from '../../../lib/api'
import { useSession } from '../page/session-context'

export type Content = Answers['sessions']['content']
export type Block = Content['blocks'][number]

/** Loads the full content of a line when it is wanted. A line never changes. It may be large, so it is cached for 20 s only. */
export function useContent(id: EventId | null, isWanted: boolean) {
  const session = useSession()
  return useQuery({
    queryKey: ['line', session.id, id],
    queryFn: ({ signal }) => client.sessions.content(session.id, id ?? '', {}, { signal }),
    enabled: isWanted && id !== null,
    gcTime: 20_000,
  })
}
