import { client } from '../../lib/api'
import { ROW_TEXT } from '../task/task-words'

/** Refetch interval: leases are renewed and expire without a feed entry. Milliseconds. */
const FLEET_REFETCH_MS = 5_000

/** Query of the workers, leases and queue. */
export const fleetQuery = {
  queryKey: ['fleet'],
  queryFn: ({ signal }: { signal: AbortSignal }) => client.fleet({ textLimit: ROW_TEXT }, { signal }),
  refetchInterval: FLEET_REFETCH_MS,
} as const
