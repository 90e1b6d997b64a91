import { useParams, useSearch } from '@tanstack/react-router'
import { PageHead } from '../components/page-head'
import { SessionView } from '../components/session/session-view'
import { useSessionDetail } from '../components/session/use-session-data'
import { Empty, Loading } from '../components/ui/empty'
import { ErrorCard } from '../components/ui/error-card'
import { CommandLine } from '../components/ui/id-chip'
import { parseSessionSearch } from '../lib/session-search'

/** One session: its conversation from any place of it, and what stands beside it. */
export function SessionPage() {
  const { id } = useParams({ from: '/sessions/$id' })
  const place = parseSessionSearch(useSearch({ from: '/sessions/$id' }))
  const { data, error, refetch } = useSessionDetail(id)
  if (data === undefined)
    return (
      <>
        <PageHead title={`Session ${id.slice(0, 8)}`} />
        {error === null ? (
          <Loading what="Reading the session" />
        ) : (
          <ErrorCard error={error} onRetry={() => void refetch()} />
        )}
      </>
    )
  if (data.session === null)
    return (
      <>
        <PageHead title={`Session ${id.slice(0, 8)}`} />
        <Empty title="It is registered, and nothing of it is recorded yet.">
          <p>What came for it so far:</p>
          <CommandLine command={`lode session messages ${data.address}`} />
        </Empty>
      </>
    )
  return <SessionView key={data.session.id} detail={data} session={data.session} place={place} />
}
