import type { ClaimRow } from '../../domain/issue/issue-store'
import { sessionStatus } from '../../domain/session/session-status'
import type { Store } from '../../domain/store'

/**
 * Whether whoever holds an issue was seen to be gone. A session that we know decides, else the agent; what nobody knows anything of
 * counts as alive, and so does a person.
 */
export async function isHolderGone(store: Store, { sessionId, agentId }: ClaimRow, now: number): Promise<boolean> {
  const session = sessionId === null ? undefined : await store.sessions.find(sessionId)
  if (session !== undefined) {
    const { status } = sessionStatus(session.signals, now)
    return status === 'ended' || status === 'lost'
  }
  if (agentId === null) return false
  const agent = await store.tasks.findAgent(agentId)
  return agent !== undefined && agent.status === 'offline'
}
