import type { SessionId } from '../../domain/ids'
import type { WriteTx } from '../../domain/store'

/** A change of a session's to-dos that is none of the agent's. */
export async function tellSession(tx: WriteTx, session: SessionId, data: Record<string, unknown>): Promise<void> {
  const key = await tx.todos.sessionKey(session)
  await tx.appendFeed('todo.updated', key === undefined ? null : { key, id: session }, { sessionId: session, ...data })
}
