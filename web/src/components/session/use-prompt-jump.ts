import { client } from '../../lib/api'
import type { Lane } from '../../lib/session-pages'
import type { RowBook } from '../../lib/session-rows'
import type { SessionPlace } from '../../lib/session-search'

type Jump = (by: 1 | -1, from: number, moveTo: (number: number) => void) => Promise<void>

/** Goes to the prompt before or behind a row: among the rows that are here, else where the server says that the turn begins. */
export function usePromptJump(lane: Lane, book: RowBook, onMove: (change: Partial<SessionPlace>) => void): Jump {
  return async (by, from, moveTo) => {
    let number = from + by
    for (; book.rows.has(number); number += by) {
      if (book.rows.get(number)?.kind !== 'prompt') continue
      moveTo(number)
      return
    }
    const near = book.rows.get(number - by) ?? book.rows.get(from)
    if (near === undefined || number < 0 || number >= book.total) return
    const at = await findTurn(lane, near.event.id, by)
    if (at !== null) onMove({ at })
  }
}

/** Where the turn before or behind the one of an event begins. */
async function findTurn({ sessionId, agent }: Lane, from: string, by: 1 | -1): Promise<SessionPlace['at']> {
  const subagent = agent === null ? {} : { subagentId: agent }
  const turnAt = async (place: string) => {
    const { turns } = await client.sessions.conversation(sessionId, { from: place, limit: 1, ...subagent })
    return turns[0]
  }
  const here = await turnAt(from)
  if (here === undefined) return null
  const begins = here.start?.eventId ?? null
  if (by === -1 && begins !== null && begins !== from) return begins
  return here.number + by < 1 ? null : ((await turnAt(String(here.number + by)))?.start?.eventId ?? null)
}
