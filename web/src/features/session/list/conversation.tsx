import { useRef } from 'react'
import { Empty, Loading } from '../../../components/ui/empty'
import { ErrorCard } from '../../../components/ui/error-card'
import type { SessionPlace } from '../page/session-search'
import type { Stepper } from '../page/use-step'
import { OnlyList } from './only-list'
import { RowList } from './row-list'
import { type Lane, useAround, useEnd } from './session-pages'

interface ConversationProps {
  lane: Lane
  place: SessionPlace
  /** Whether it is still unknown which agent the line at this place belongs to. */
  isAsking: boolean
  /** Whether the session is known to be recorded, so that a failed request for its lines is an error. */
  isCertain: boolean
  /** Grows when the person goes to the same place again. */
  visit: number
  /** Goes to the next or previous line of a kind. */
  onStep: Stepper['go']
  /** Goes to another place in the session. */
  onMove(change: Partial<SessionPlace>): void
}

/** The conversation of one agent, from any place. */
export function Conversation({ lane, place, isAsking, isCertain, visit, onStep, onMove }: ConversationProps) {
  const end = useEnd(lane)
  const around = useAround(lane, isAsking ? null : place.at)
  // The old place stays visible until the new one is loaded.
  const wasShown = useRef(false)
  const isComing = place.at !== null && around.data === undefined && around.error === null
  if (end.data === undefined || (isComing && !wasShown.current)) {
    if (end.error !== null && isCertain) return <ErrorCard error={end.error} onRetry={() => void end.refetch()} />
    return <Loading what="Reading the conversation" />
  }
  wasShown.current = true
  if (place.only !== null && lane.until === undefined)
    return <OnlyList key={place.only} lane={lane} only={place.only} onMove={onMove} />
  return (
    <>
      {around.error === null ? null : <ErrorCard error={around.error} />}
      {end.data.total === 0 ? (
        <Empty title={lane.agent === null ? 'This conversation is empty.' : 'No lines of this sub-agent are recorded.'}>
          <p>Lines appear here as soon as they are recorded.</p>
        </Empty>
      ) : (
        <RowList
          lane={lane}
          place={place}
          visit={visit}
          onStep={onStep}
          onMove={onMove}
          end={end.data}
          around={around.data}
        />
      )}
    </>
  )
}
