import { createContext, useContext } from 'react'
import { type EventId, type SessionId, type SubagentId, sessionId } from '#domain/ids'
import type { SessionPlace } from './session-search'

/** The line at which a copy of the conversation ends. */
export interface ForkPoint {
  event: EventId
  /** The copy ends before it, with the conversation as it was. */
  isCompaction: boolean
}

/** What the session page provides to its rows. */
export interface SessionContextValue {
  id: SessionId
  /** Whether calls without a result may still be running, judged by the session's status. */
  isLive: boolean
  /** Whether it began on another day than that of its last line, for the person. */
  hasDays: boolean
  /** Path of another place in this session. */
  pathTo(change: Partial<SessionPlace>): string
  /** Goes to the call that launched a sub-agent; the server is asked for it. */
  toLaunch(agent: SubagentId): void
  /** Asks for a fork; null = these lines cannot be forked. */
  fork: ((at: ForkPoint) => void) | null
}

const SessionContext = createContext<SessionContextValue>({
  id: sessionId(''),
  isLive: false,
  hasDays: false,
  pathTo: () => '',
  toLaunch: () => {},
  fork: null,
})
/** Provides the session to rows. */
export const SessionProvider = SessionContext.Provider
/** The session that a row belongs to. */
export const useSession = (): SessionContextValue => useContext(SessionContext)
