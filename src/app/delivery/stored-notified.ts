/** Up to which change sessions were notified, in a database that servers share: each tells what none has told. */
import type { NotifiedChanges } from '../../domain/recall/recall'
import type { Store } from '../../domain/store'
import { MARK_KEPT_MS, notifiedChanges, SWEEP_EVERY_MS } from './notified-changes'

/** @param home  Lodeline's folder: marks that a former program left there still count */
export function storedNotified(store: Store, home: string): NotifiedChanges {
  const former = notifiedChanges(home)
  let sweptAt = Number.NEGATIVE_INFINITY
  return {
    async upTo(session, issue) {
      return (await store.notified.upTo(session, issue)) ?? (await former.upTo(session, issue))
    },
    async take(session, issue, upTo) {
      const isDue = performance.now() - sweptAt > SWEEP_EVERY_MS
      if (isDue) sweptAt = performance.now()
      return await store.write(async (tx) => {
        if (isDue) await tx.notified.dropBefore(tx.now - MARK_KEPT_MS)
        return await tx.notified.take(session, issue, upTo)
      })
    },
  }
}
