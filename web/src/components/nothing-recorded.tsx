import { useQuery } from '@tanstack/react-query'
import { client } from '../lib/api'
import { Empty } from './ui/empty'
import { CommandLine } from './ui/id-chip'

/** For a page without anything in the record: how it gets something. */
export const NothingRecorded = () => (
  <Empty title="Nothing is recorded yet.">
    <p>Lodeline records what agents do on this host while it runs. Import earlier work:</p>
    <CommandLine command="lode import ~/.claude" />
  </Empty>
)

/** The session that was active last. `null` = the record is empty, `undefined` = not known. @param isWanted  whether the page has nothing to show */
export function useNewestSession(isWanted: boolean) {
  const { data } = useQuery({
    queryKey: ['overview', 'any-session'],
    queryFn: ({ signal }) => client.sessions.list({ limit: 1 }, { signal }),
    enabled: isWanted,
  })
  return data === undefined ? undefined : (data.sessions[0] ?? null)
}
