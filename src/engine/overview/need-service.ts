import type { Store } from '../../domain/store'
import { DAY_MS } from '../../domain/time-units'

/** The use cases that write what a person decided about needs. */
export interface NeedService {
  /**
   * Takes a need off the list until it happens again. Said twice it is the same. Whether there is such a need is for the caller to see.
   *
   * @returns when it was taken off first, in milliseconds
   */
  dismiss(id: string, by: string): Promise<{ at: number }>
  /**
   * Puts a need off: it is shown as snoozed until then, and needs somebody again afterwards. A time that is over wakes it.
   *
   * @param until  milliseconds
   */
  snooze(id: string, by: string, until: number): Promise<void>
  /** Forgets what was dismissed long ago. @returns how many */
  sweep(): Promise<number>
}

/** Only what waits in a terminal, the inbox or at an address is reported for longer: it is then reported again. */
export const KEPT_MS = 90 * DAY_MS
/** Rows of one unit. */
const ROWS_PER_UNIT = 1_000

/** The service over a store. It holds no state: several may run over one database. */
export const createNeedService = ({ store }: { store: Pick<Store, 'write'> }): NeedService => ({
  dismiss: (id, by) =>
    store.write(async (tx) => {
      const { at, isNew } = await tx.needs.dismiss(id, by, tx.now)
      if (isNew) await tx.appendFeed('need.dismissed', null, { needId: id, by })
      return { at }
    }),
  snooze: (id, by, until) =>
    store.write(async (tx) => {
      if (await tx.needs.snooze(id, by, tx.now, until))
        await tx.appendFeed('need.snoozed', null, { needId: id, by, until: new Date(until).toISOString() })
    }),
  sweep: () => store.write((tx) => tx.needs.forgetBefore(tx.now - KEPT_MS, ROWS_PER_UNIT)),
})
