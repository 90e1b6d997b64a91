import { AppError, toAppError } from '../domain/errors'
import type { Ended } from '../domain/last-read'
import type { Store, WriteTx } from '../domain/store'
import { UnprovenCaller } from '../domain/token/remembered-token'
import type { UnitSubject } from '../domain/unit-subject'
import type { UnitTimes } from '../domain/unit-times'
import { refuseInsideUnit } from './sql/unit-scope'

/** What a writer of either database does: a unit in a transaction of its own. */
interface Writer {
  write<T>(
    unit: (tx: WriteTx) => Ended<T> | Promise<Ended<T>>,
    weight: 'interactive' | 'bulk',
    about: UnitSubject | undefined,
  ): Promise<T>
}

/** Which calls may use a store, and when: none once it is closed, and none from inside of a unit but by its transaction. */
export function storeAccess() {
  let isClosed = false
  return {
    /** @throws `unavailable` closed, `internal` inside a unit */
    assertReadable(): void {
      if (isClosed) throw new AppError('unavailable', 'The store is closed.')
      refuseInsideUnit('a read')
    },

    /**
     * @param writer  none: the store was opened for reading
     * @param times   where it is noted how long units took; none: nowhere
     */
    write:
      (writer: Writer | undefined, times?: UnitTimes): Store['write'] =>
      async (unit, { weight = 'interactive', about } = {}) => {
        refuseInsideUnit('write')
        if (writer === undefined) throw readOnly()
        const began = performance.now()
        try {
          const value = await writer.write(unit, weight, about)
          times?.note(weight, null, performance.now() - began)
          return value
        } catch (thrown) {
          if (thrown instanceof UnprovenCaller) throw thrown
          times?.note(weight, toAppError(thrown).code, performance.now() - began)
          throw thrown
        }
      },

    /** Closes once, however often it is asked. */
    close: (end: () => Promise<void>) => async (): Promise<void> => {
      if (isClosed) return
      isClosed = true
      await end()
    },
  }
}

export const readOnly = (): AppError => new AppError('storage_readonly', 'The store is open for reading only.')
