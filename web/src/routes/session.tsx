import { useParams, useSearch } from '@tanstack/react-router'
import { type SessionId, sessionId } from '../../../src/domain/ids'
import { PageHead } from '../components/page-head'
import { SessionView } from '../components/session/session-view'
import { useSessionDetail } from '../components/session/use-session-data'
import { Empty, Loading } from '../components/ui/empty'
import { ErrorCard } from '../components/ui/error-card'
import { CommandLine } from '../components/ui/id-chip'
import { sessionPath } from '../lib/links'
import { parseSessionSearch } from '../lib/session-search'
import { useWholeAddress } from '../lib/whole-address'

/** One session: its conversation from any place of it, and what stands beside it. */
export function SessionPage() {
  const { id } = useParams({ from: '/sessions/$id' })
  const place = parseSessionSearch(useSearch({ from: '/sessions/$id' }))
  const { data, error, refetch } = useSessionDetail(id)
  const whole = data === undefined && error === null ? wholeId(id) : (data?.session?.id ?? null)
  useWholeAddress(id, whole ?? undefined, sessionPath)
  if (whole !== null) return <SessionView key={whole} id={whole} detail={data} place={place} />
  return (
    <>
      <PageHead title={`Session ${id.slice(0, 8)}`} />
      {error !== null && data === undefined ? (
        <ErrorCard error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading what="Reading the session" />
      ) : (
        <Empty title="It is registered, and nothing of it is recorded yet.">
          <p>What came for it so far:</p>
          <CommandLine command={`lode session messages ${data.address}`} />
        </Empty>
      )}
    </>
  )
}

/** A whole id needs no answer to be one; the beginning of one does. */
const wholeId = (id: string): SessionId | null =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) ? sessionId(id) : null
