import { useMemo, useRef } from 'react'
import type { EventId, SessionId, SubagentId } from '#domain/ids'
import type { StepKind } from '#domain/session/outcome'
import { client } from '../../../lib/api'
import type { SessionPlace } from './session-search'

export interface Stepper {
  /** Goes to the next (1) or previous line of a kind, counted from a line; `null` = from the beginning, or backwards from the end. */
  go(kind: StepKind, by: 1 | -1, from: EventId | null): void
}

/** Asks the server where to go: most lines between are not loaded. A key press while it is asked does nothing. */
export function useStep(
  id: SessionId,
  agent: SubagentId | null,
  onMove: (change: Partial<SessionPlace>) => void,
): Stepper {
  const isAsking = useRef(false)
  const latest = useRef(onMove)
  latest.current = onMove
  return useMemo(
    () => ({
      go(to, by, from) {
        if (isAsking.current) return
        isAsking.current = true
        client.sessions
          .step(id, {
            to,
            ...(from !== null && { from }),
            ...(by === -1 && { back: true }),
            ...(agent !== null && { subagentId: agent }),
          })
          .then(({ eventId }) => {
            if (eventId !== null) latest.current({ at: eventId, view: 'conversation' })
          })
          .catch(() => undefined)
          .finally(() => {
            isAsking.current = false
          })
      },
    }),
    [id, agent],
  )
}
