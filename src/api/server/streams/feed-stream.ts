import type { FeedEntry } from '../../../domain/feed'
import type { FeedSeq } from '../../../domain/ids'
import type { SecretMask } from '../../../domain/secrets/mask'
import type { FeedRing } from './feed-ring'
import { pulledStream, type StreamEnd } from './pulled-stream'

/** Whether a follower wants an entry. A promise only where that has to be looked up. */
export type FeedTest = (entry: FeedEntry) => boolean | Promise<boolean>

export interface FeedStreamOptions {
  /** Where the follower stands: it gets what comes after. */
  cursor: FeedSeq
  isWanted: FeedTest
  /** Silence after which a comment is sent, in milliseconds. */
  heartbeatMs: number
  /** Time after which a follower that takes nothing is cut, in milliseconds. */
  stallMs: number
  /** Hides secrets in entries. */
  mask: SecretMask
  /** The connection's own end. */
  signal: AbortSignal
  /** Called once, with why the stream is over. */
  onEnd: (why: StreamEnd, error?: unknown) => void
}

/** Entries of one chunk: some 60 kB, which is all that a stalled reader holds of the server's memory beside its socket. */
const PAGE_ENTRIES = 200

/** The feed as server-sent events. */
export function feedStream(ring: FeedRing, options: FeedStreamOptions): ReadableStream<Uint8Array> {
  const { heartbeatMs, stallMs, isWanted, signal } = options
  const leave = ring.join(() => pulled.end())
  let cursor = options.cursor
  let sentCursor = cursor

  /** The next text for the follower; `null` when the stream is over. */
  async function next(over: AbortSignal): Promise<string | null> {
    while (!over.aborted) {
      const page = await ring.after(cursor, PAGE_ENTRIES)
      cursor = page[page.length - 1]?.seq ?? cursor
      let text = ''
      let isBehind = false
      for (const entry of page) {
        const answer = isWanted(entry)
        isBehind = !(typeof answer === 'boolean' ? answer : await answer)
        if (!isBehind) text += ring.frame(entry)
      }
      if (text !== '') {
        // The place behind unwanted entries, so that a new connection doesn't look at them again.
        sentCursor = cursor
        return isBehind ? `${text}id: ${cursor}\n\n` : text
      }
      if (page.length > 0) continue
      const woken = await ring.wait(cursor, heartbeatMs, over)
      if (woken !== 'timeout') continue
      ring.refresh()
      const beat = sentCursor === cursor ? ':\n\n' : `id: ${cursor}\n\n`
      sentCursor = cursor
      return beat
    }
    return null
  }

  const pulled = pulledStream({
    mask: options.mask,
    // The first text names the place at once, so that a reader that is cut off before the first entry still resumes there.
    first: `retry: 1000\nid: ${cursor}\n\n`,
    next,
    stallMs,
    signal,
    onEnd(why, error) {
      leave()
      options.onEnd(why, error)
    },
  })
  return pulled.stream
}
