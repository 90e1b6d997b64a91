import { AppError, isAppError } from '../../../domain/errors'
import { MINUTE_MS } from '../../../domain/time-units'
import { ipVersion } from '../../../util/net/ip'
import { isLoopback } from './listen-allowed'

/** Wrong codes of one peer within a minute, after which none of its codes is looked at. */
const MAX_WRONG = 10
const WRONG_MS = MINUTE_MS
/** Peers that are remembered; the one that was wrong first gives way. */
const MAX_PEERS = 10_000

/**
 * Slows down who guesses codes for logins and enrollments. Only the peer that guesses is held up: somebody else's wrong codes lock nobody
 * out. All users of this machine have one address, so it is never held up: codes have 60 bits, work once, and end within minutes.
 */
export interface WrongCodes {
  /**
   * Tries a code of a peer.
   *
   * @param peer  its address; `null` = this process's own
   * @throws `unavailable` too many codes of the peer were wrong within the last minute; else what `attempt` throws
   */
  try<T>(peer: string | null, attempt: () => T | Promise<T>): Promise<T>
}

export function createWrongCodes(now: () => number): WrongCodes {
  const wrongAt = new Map<string, number[]>()

  const recent = (peer: string) => (wrongAt.get(peer) ?? []).filter((at) => at > now() - WRONG_MS)

  function note(peer: string): void {
    const times = [...recent(peer), now()]
    wrongAt.delete(peer)
    wrongAt.set(peer, times)
    const [oldest] = wrongAt.keys()
    if (wrongAt.size > MAX_PEERS && oldest !== undefined) wrongAt.delete(oldest)
  }

  return {
    async try(address, attempt) {
      const peer = address === null || isLoopback(address) ? null : networkOf(address)
      if (peer !== null && recent(peer).length >= MAX_WRONG)
        throw new AppError('unavailable', 'Too many wrong codes were tried from this address.', {
          hint: 'Wait a minute, then try again with a new code.',
          details: { isBusy: true },
        })
      try {
        return await attempt()
      } catch (error) {
        if (peer !== null && isAppError(error) && error.code === 'unauthorized') note(peer)
        throw error
      }
    },
  }
}

/** One subscriber has a whole /64 of IPv6. */
function networkOf(address: string): string {
  if (ipVersion(address) !== 6 || address.includes('.')) return address
  const [head = '', tail = ''] = address.split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === '' ? [] : tail.split(':')
  const zeros = address.includes('::') ? Array<string>(Math.max(0, 8 - first.length - last.length)).fill('0') : []
  return [...first, ...zeros, ...last].slice(0, 4).join(':')
}
