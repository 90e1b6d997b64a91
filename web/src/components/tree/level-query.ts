import type { RequestInput } from '../../../../src/api/contract/requests'
import type { ResponseOf } from '../../../../src/api/contract/responses'
import { client } from '../../lib/api'

export type Level = ResponseOf<'tree.level'>
export type LevelFilter = Pick<RequestInput<'tree.level'>, 'status' | 'needed' | 'q' | 'since'>

/** Entries that one request asks for. */
const PAGE = 100

/** One page of the level under an entry; `''` = the outermost. */
export const levelQuery = (under: string, filter: LevelFilter, cursor: string | undefined) =>
  ({
    queryKey: ['tree', under, JSON.stringify(filter), cursor ?? ''],
    queryFn: ({ signal }: { signal: AbortSignal }): Promise<Level> =>
      client.tree.level(
        { ...filter, limit: PAGE, ...(under !== '' && { under }), ...(cursor !== undefined && { cursor }) },
        { signal },
      ),
    // Ages make things stuck or lost without an entry of the feed.
    refetchInterval: 30_000,
  }) as const
