import { useRef } from 'react'
import { client } from '../../../lib/api'
import type { SessionPlace } from '../page/session-search'
import type { RowBook } from '../rows/session-rows'
import type { Lane } from './session-pages'

export interface PromptJump {
  /** Goes to the previous or next prompt, counted from a row. */
  jump(by: 1 | -1, from: number): void
  /** Call when the place is loaded: continues with the key presses that came in the meantime. */
  arrived(at: number): void
}

/**
 * Goes from prompt to prompt: among the loaded rows, otherwise to where the server says that the turn starts. Key presses that arrive before
 * the server answers are queued.
 */
export function usePromptJump(
  lane: Lane,
  book: RowBook,
  moveTo: (number: number) => void,
  onMove: (change: Partial<SessionPlace>) => void,
): PromptJump {
  const isAway = useRef(false)
  /** Directions of the queued key presses. */
  const waiting = useRef<(1 | -1)[]>([])

  const rest = () => {
    isAway.current = false
    waiting.current = []
  }

  /** @returns the number of the reached row; `null` if the server has to be asked or there is no prompt */
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

/** Event that starts the turn before or after the turn of an event. */
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
