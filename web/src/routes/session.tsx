import { useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { type SessionId, sessionId } from '#domain/ids'
import { PageHead } from '../components/page-head'
import { Empty, Loading } from '../components/ui/empty'
import { ErrorCard } from '../components/ui/error-card'
import { CommandLine } from '../components/ui/id-chip'
import { parseSessionSearch } from '../features/session/page/session-search'
import { SessionView } from '../features/session/page/session-view'
import { AGENT_STEPS, useSessionDetail } from '../features/session/page/use-session-data'
import { sessionPath } from '../lib/links'
import { useWholeAddress } from '../lib/whole-address'

/** One session: its conversation from any place, with to-dos, sub-agents and messages beside it. */
export function SessionPage() {
  const { id } = useParams({ from: '/sessions/$id' })
  const place = parseSessionSearch(useSearch({ from: '/sessions/$id' }))
  const [asked, setAsked] = useState({ id, step: 0 })
  const step = asked.id === id ? asked.step : 0
  // A replay goes through all of them.
  const limit = place.t === null ? AGENT_STEPS[step] : undefined
  const { data, error, refetch } = useSessionDetail(id, place.agent, limit)
  const whole = data === undefined && error === null ? wholeId(id) : (data?.session?.id ?? null)
  useWholeAddress(id, whole ?? undefined, sessionPath)
  if (whole !== null)
    return (
      <SessionView
        key={whole}
        id={whole}
        detail={data}
        place={place}
        onMoreAgents={() => setAsked({ id, step: step + 1 })}
      />
    )
  return (
    <>
      <PageHead title={`Session ${id.slice(0, 8)}`} />
      {error !== null && data === undefined ? (
        <ErrorCard error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Loading what="Reading the session" />
      ) : (
        <Empty title="This session is registered, but nothing is recorded yet.">
          <p>See its messages so far:</p>
          <CommandLine command={`lode session messages ${data.address}`} />
        </Empty>
      )}
    </>
  )
}

/** The ID if it is a full one, which needs no request to resolve; otherwise `null`. */
const wholeId = (id: string): SessionId | null =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) ? sessionId(id) : null
