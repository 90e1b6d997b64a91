import { AppError } from '../domain/errors'
import type { Ended } from '../domain/last-read'
import type { Store, WriteTx } from '../domain/store'
import type { UnitSubject } from '../domain/unit-subject'
import { refuseInsideUnit } from './sql/unit-scope'

/** What a writer of either database does: a unit in a transaction of its own. */
interface Writer {
  write<T>(
    unit: (tx: WriteTx) => Ended<T> | Promise<Ended<T>>,
    weight: 'interactive' | 'bulk',
    about: UnitSubject | undefined,
  ): Promise<T>
}

/** Who may do what with a store, and when: nothing once it is closed, and nothing from inside of a unit but by its transaction. */
export function storeAccess() {
  let isClosed = false
  return {
    /** @throws `unavailable` closed, `internal` inside a unit */
    assertReadable(): void {
      if (isClosed) throw new AppError('unavailable', 'The store is closed.')
      refuseInsideUnit('a read')
    },

    /** @param writer  none: the store was opened for reading */
    write:
      (writer: Writer | undefined): Store['write'] =>
      async (unit, { weight = 'interactive', about } = {}) => {
        refuseInsideUnit('write')
        if (writer === undefined) throw readOnly()
        return await writer.write(unit, weight, about)
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
