import { AppError } from '../../../domain/errors'
import type { FeedEntry, FeedReads } from '../../../domain/feed'
import { type FeedSeq, feedSeq } from '../../../domain/ids'

/** What ended a wait. */
export type Woken = 'changed' | 'timeout' | 'ended'

/**
 * The newest entries of the feed, shared by all who follow it: however many they are, each entry is read from the database and
 * written as text once. A follower is a cursor, not a queue; one that fell behind the ring reads the database.
 */
export interface FeedRing {
  /** Entries after `cursor`, oldest first, at most `limit`. */
  after(cursor: FeedSeq, limit: number): Promise<FeedEntry[]>
  head(): Promise<FeedSeq>
  /** An entry as an event of the stream; made once per entry. */
  frame(entry: FeedEntry): string
  /**
   * Counts a follower in. The ring holds memory and listens to the store only while there is one. Call the result to leave.
   *
   * @param end  called when every follower is to end
   */
  join(end: () => void): () => void
  endAll(): void
  /** Waits until there is something after `cursor`. For followers that joined. */
  wait(cursor: FeedSeq, timeoutMs: number, signal: AbortSignal): Promise<Woken>
  /**
   * Calls `heard` with entries as they are read, from now on. The ring listens to the store as long as somebody does.
   *
   * @returns `ready` once nothing that is committed from then on can be missed; it rejects when the store can't be read
   */
  listen(heard: (entries: readonly FeedEntry[]) => void): { ready(): Promise<void>; stop(): void }
  /** Looks at the store by itself this often. */
  refresh(): void
  followerCount(): number
}

const READ_ROWS = 500

export function createFeedRing(feed: FeedReads, capacity: number, onError: (error: unknown) => void): FeedRing {
  let entries: FeedEntry[] = []
  let last: FeedSeq | null = null
  const followers = new Set<() => void>()
  const listeners = new Set<(entries: readonly FeedEntry[]) => void>()
  const isUsed = () => followers.size > 0 || listeners.size > 0
  let unsubscribe: (() => void) | null = null
  let reading: Promise<void> | null = null
  let isStale = false
  const waiting = new Set<() => void>()
  const frames = new WeakMap<FeedEntry, string>()

  /** Reads on from the last entry; calls while it reads make it read once more. */
  function refresh(): void {
    isStale = true
    reading ??= readOn()
      .catch(onError)
      .finally(() => {
        reading = null
        if (isStale && isUsed()) refresh()
      })
  }

  async function readOn(): Promise<void> {
    while (isStale && isUsed()) {
      isStale = false
      last ??= await feed.head()
      const page = await feed.after(last, READ_ROWS)
      if (!isUsed()) return
      if (page.length === 0) continue
      // A page that is not full was the end; a commit during the read has said so by itself.
      isStale ||= page.length === READ_ROWS
      last = page[page.length - 1]?.seq ?? last
      entries = entries.concat(page)
      if (entries.length > capacity) entries = entries.slice(-capacity)
      for (const wake of [...waiting]) wake()
      for (const heard of [...listeners]) heard(page)
    }
  }

  /** Listens first, then reads where the feed stands: nothing can fall between. */
  function begin(): void {
    unsubscribe ??= feed.onChange(refresh)
    refresh()
  }

  function rest(): void {
    if (isUsed()) return
    unsubscribe?.()
    unsubscribe = null
    entries = []
    last = null
  }

  return {
    async after(cursor, limit) {
      const first = entries[0]
      if (first === undefined || cursor < first.seq - 1) return feed.after(cursor, limit)
      const from = firstAfter(entries, cursor)
      return entries.slice(from, from + limit)
    },
    head: () => feed.head(),
    frame(entry) {
      const known = frames.get(entry)
      if (known !== undefined) return known
      const text = `id: ${entry.seq}\nevent: ${entry.kind}\ndata: ${JSON.stringify(entry)}\n\n`
      frames.set(entry, text)
      return text
    },
    join(end) {
      followers.add(end)
      begin()
      return () => {
        if (followers.delete(end)) rest()
      }
    },
    endAll() {
      for (const end of [...followers]) end()
    },
    wait(cursor, timeoutMs, signal) {
      if (signal.aborted) return Promise.resolve('ended')
      if ((last ?? feedSeq(0)) > cursor) return Promise.resolve('changed')
      return new Promise((resolve) => {
        const end = (how: Woken) => {
          clearTimeout(timer)
          waiting.delete(wake)
          signal.removeEventListener('abort', abort)
          resolve(how)
        }
        const wake = () => {
          if ((last ?? feedSeq(0)) > cursor) end('changed')
        }
        const abort = () => end('ended')
        const timer = setTimeout(() => end('timeout'), timeoutMs)
        waiting.add(wake)
        signal.addEventListener('abort', abort, { once: true })
      })
    },
    listen(heard) {
      listeners.add(heard)
      begin()
      return {
        async ready() {
          while (last === null && reading !== null) await reading
          if (last === null) throw new AppError('unavailable', 'The feed could not be read.')
        },
        stop() {
          if (listeners.delete(heard)) rest()
        },
      }
    },
    refresh,
    followerCount: () => followers.size,
  }
}

/** Index of the first entry whose seq is greater than `cursor`. */
function firstAfter(entries: FeedEntry[], cursor: FeedSeq): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((entries[middle]?.seq ?? 0) > cursor) high = middle
    else low = middle + 1
  }
  return low
}
