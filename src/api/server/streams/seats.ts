import { AppError } from '../../../domain/errors'
import type { Caller } from '../../../domain/task/worker-protocol'
import { nameOf } from '../../../engine/unit/unit'
import type { Limits } from '../deps'

/** Counts the streams and waiting calls of each caller: one that opens more than it is given must not take the server's memory. */
export interface Seats {
  /**
   * Call the result when the stream or the wait is over; once is enough.
   * @throws `unavailable` the caller has as many as it may
   */
  take(caller: Caller): () => void
}

export function createSeats({ seats, operatorSeats }: Pick<Limits, 'seats' | 'operatorSeats'>): Seats {
  const taken = new Map<string, number>()
  return {
    take(caller) {
      const who = nameOf(caller)
      const most = caller.kind === 'operator' ? operatorSeats : seats
      const count = taken.get(who) ?? 0
      if (count >= most)
        throw new AppError(
          'unavailable',
          `This token already has ${most} open streams and waiting calls, the maximum.`,
          {
            hint: 'Close some of them first.',
            details: { limit: most },
          },
        )
      taken.set(who, count + 1)
      let isTaken = true
      return () => {
        if (!isTaken) return
        isTaken = false
        const left = (taken.get(who) ?? 1) - 1
        if (left === 0) taken.delete(who)
        else taken.set(who, left)
      }
    },
  }
}
