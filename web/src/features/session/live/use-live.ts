import { useQuery } from '@tanstack/react-query'
import type { SessionId } from '#domain/ids'
import { client } from '../../../lib/api'

/** Milliseconds between two looks. No entry of the feed reports what no line has yet. */
const LOOK_MS = 700

/** What a working session is writing now. A hidden page does not look. @param id  null = there is none yet */
export const useLive = (id: SessionId | null, isOn: boolean) =>
  useQuery({
    queryKey: ['live', id],
    queryFn: ({ signal }) => client.sessions.live(id ?? '', { signal }),
    enabled: isOn && id !== null,
    refetchInterval: LOOK_MS,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  })
