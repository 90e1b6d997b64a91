import { client } from './api'
import { ROW_TEXT } from './task-words'

/** Leases are renewed and lapse without an entry of the feed. Milliseconds. */
const LOOK_MS = 5_000

/** Who works and what waits. */
export const fleetQuery = {
  queryKey: ['fleet'],
  queryFn: ({ signal }: { signal: AbortSignal }) => client.fleet({ textLimit: ROW_TEXT }, { signal }),
  refetchInterval: LOOK_MS,
} as const
