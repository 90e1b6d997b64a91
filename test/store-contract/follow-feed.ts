import { isAppError } from '../../src/domain/errors'
import type { FeedEntry } from '../../src/domain/feed'
import type { FeedSeq } from '../../src/domain/ids'
import type { Store } from '../../src/domain/store'

/** Reads the feed from `cursor` on, woken by the store, until `isEnough` of all entries so far. */
export async function followFeed(
  store: Store,
  cursor: FeedSeq,
  isEnough: (entries: FeedEntry[]) => boolean,
): Promise<FeedEntry[]> {
  const entries: FeedEntry[] = []
  let changed = Promise.withResolvers<void>()
  const unsubscribe = store.feed.onChange(() => changed.resolve())
  try {
    for (let at = cursor; ; ) {
      changed = Promise.withResolvers<void>()
      const page = await store.feed.after(at, 100).catch(emptyWhenCut)
      if (page === undefined) continue
      entries.push(...page)
      at = page.at(-1)?.seq ?? at
      if (isEnough(entries)) return entries
      if (page.length === 0) await changed.promise
    }
  } finally {
    unsubscribe()
  }
}

/** A connection that was cut under a read says so, and the reader asks again: its cursor is where it was. */
function emptyWhenCut(thrown: unknown): undefined {
  if (!isAppError(thrown) || thrown.code !== 'unavailable') throw thrown
}
