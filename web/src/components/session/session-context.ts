import { createContext, useContext } from 'react'
import { type SessionId, type SubagentId, sessionId } from '../../../../src/domain/ids'
import type { SessionPlace } from '../../lib/session-search'

/** What rows know of the page that they are on. */
export interface SessionContextValue {
  id: SessionId
  /** A call without an answer is at work, as far as the session's status tells. */
  isLive: boolean
  /** Address of another place of this session. */
  pathTo(change: Partial<SessionPlace>): string
  /** Address of the call that launched an agent; it has to be asked for. */
  toLaunch(agent: SubagentId): void
}

const SessionContext = createContext<SessionContextValue>({
  id: sessionId(''),
  isLive: false,
  pathTo: () => '',
  toLaunch: () => {},
})
export const SessionProvider = SessionContext.Provider
export const useSession = (): SessionContextValue => useContext(SessionContext)
