import { useRef } from 'react'
import { client } from '../../lib/api'
import type { Lane } from '../../lib/session-pages'
import type { RowBook } from '../../lib/session-rows'
import type { SessionPlace } from '../../lib/session-search'

export interface PromptJump {
  /** Goes to the prompt before or behind a row. */
  jump(by: 1 | -1, from: number): void
  /** A place that was asked for is here: goes on with what was pressed meanwhile. */
  arrived(at: number): void
}

/**
 * Goes from prompt to prompt: among the rows that are here, else where the server says that the turn begins. Whoever presses faster than the
 * server answers gets as far as they pressed.
 */
export function usePromptJump(
  lane: Lane,
  book: RowBook,
  moveTo: (number: number) => void,
  onMove: (change: Partial<SessionPlace>) => void,
): PromptJump {
  const isAway = useRef(false)
  /** Presses that wait, by their direction. */
  const waiting = useRef<(1 | -1)[]>([])

  const rest = () => {
    isAway.current = false
    waiting.current = []
  }

  /** @returns the row that one is at now; `null` while the server is asked, and where there is no prompt */
  function run(by: 1 | -1, from: number): number | null {
    let number = from + by
    for (; book.rows.has(number); number += by) {
      if (book.rows.get(number)?.kind !== 'prompt') continue
      moveTo(number)
      return number
    }
    const near = book.rows.get(number - by) ?? book.rows.get(from)
    if (near === undefined || number < 0 || number >= book.total) return null
    isAway.current = true
    findTurn(lane, near.event.id, by).then((at) => {
      if (at === null) rest()
      else onMove({ at })
    }, rest)
    return null
  }

  return {
    jump(by, from) {
      if (isAway.current) waiting.current.push(by)
      else run(by, from)
    },
    arrived(at) {
      isAway.current = false
      for (let from: number | null = at; from !== null; ) {
        const by = waiting.current.shift()
        from = by === undefined ? null : run(by, from)
      }
    },
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
