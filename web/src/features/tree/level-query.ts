import type { Answers, Inputs } from '#api/contract/operations/index'
import { client } from '../../lib/api'

export type Level = Answers['tree']['level']
export type LevelFilter = Pick<Inputs['tree']['level'], 'status' | 'needed' | 'q' | 'agent' | 'since'>

/** Entries per request. */
const PAGE_ENTRIES = 100

/** Query of one page of the level below an entry. @param under  ID of the entry; `''` = the outermost level */
export const levelQuery = (under: string, filter: LevelFilter, cursor: string | undefined) =>
  ({
    queryKey: ['tree', under, JSON.stringify(filter), cursor ?? ''],
    queryFn: ({ signal }: { signal: AbortSignal }): Promise<Level> =>
      client.tree.level(
        { ...filter, limit: PAGE_ENTRIES, ...(under !== '' && { under }), ...(cursor !== undefined && { cursor }) },
        { signal },
      ),
    // Sessions become stuck or lost by age, without a feed entry. Milliseconds.
    refetchInterval: 30_000,
  }) as const
