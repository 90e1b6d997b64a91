import { useQuery } from '@tanstack/react-query'
import type { ResponseOf } from '../../../../src/api/contract/responses'
import type { EventId } from '../../../../src/domain/ids'
import { client } from '../../lib/api'
import { useSession } from './session-context'

export type Content = ResponseOf<'sessions.content'>
export type Block = Content['blocks'][number]

/** What a line holds, whole, once it is wanted. A line never changes, and a large one is not kept for long. */
export function useContent(id: EventId | null, isWanted: boolean) {
  const session = useSession()
  return useQuery({
    queryKey: ['line', session.id, id],
    queryFn: ({ signal }) => client.sessions.content(session.id, id ?? '', { signal }),
    enabled: isWanted && id !== null,
    gcTime: 20_000,
  })
}
