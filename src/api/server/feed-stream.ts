import type { FeedEntry } from '../../domain/feed'
import type { FeedSeq } from '../../domain/ids'
import type { FeedRing } from './feed-ring'

export interface FeedStreamOptions {
  /** Where the follower stands: it gets what comes after. */
  cursor: FeedSeq
  isWanted: (entry: FeedEntry) => boolean
  /** Silence after which a comment is sent, in milliseconds. */
  heartbeatMs: number
  /** Time after which a follower that takes nothing is cut, in milliseconds. */
  stallMs: number
  /** The connection's own end. */
  signal: AbortSignal
  /** Called once, with why the stream is over. */
  onEnd: (why: 'left' | 'stalled' | 'failed', error?: unknown) => void
}

/** Entries of one chunk: some 60 kB, which is all that a stalled reader holds of the server's memory beside its socket. */
const PAGE_ENTRIES = 200
const encoder = new TextEncoder()

/**
 * The feed as server-sent events. It is pulled: nothing is read for a follower, and nothing is kept for it, until its socket has
 * taken what came before.
 */
export function feedStream(ring: FeedRing, options: FeedStreamOptions): ReadableStream<Uint8Array> {
  const { heartbeatMs, stallMs, isWanted } = options
  const over = new AbortController()
  const leave = ring.join(() => end('left'))
  let cursor = options.cursor
  let told = cursor
  let stallTimer: ReturnType<typeof setTimeout> | undefined

  function end(why: 'left' | 'stalled' | 'failed', error?: unknown): void {
    if (over.signal.aborted) return
    over.abort()
    clearTimeout(stallTimer)
    leave()
    options.onEnd(why, error)
  }

  /** The next text for the follower; `null` when the stream is over. */
  async function next(): Promise<string | null> {
    while (!over.signal.aborted) {
      const page = await ring.after(cursor, PAGE_ENTRIES)
      cursor = page[page.length - 1]?.seq ?? cursor
      const text = page.filter(isWanted).map(ring.frame).join('')
      if (text !== '') {
        // The place behind unwanted entries, so that a new connection doesn't look at them again.
        const isBehind = page.length > 0 && !isWanted(page[page.length - 1] as FeedEntry)
        told = cursor
        return isBehind ? `${text}id: ${cursor}\n\n` : text
      }
      if (page.length > 0) continue
      const woken = await ring.wait(cursor, heartbeatMs, over.signal)
      if (woken !== 'timeout') continue
      ring.refresh()
      const beat = told === cursor ? ':\n\n' : `id: ${cursor}\n\n`
      told = cursor
      return beat
    }
    return null
  }

  options.signal.addEventListener('abort', () => end('left'), { once: true })
  if (options.signal.aborted) end('left')
  let isFirst = true
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(stallTimer)
        try {
          // The first text names the place at once, so that one who is cut before the first entry still resumes there.
          const text = isFirst ? `retry: 1000\nid: ${cursor}\n\n` : await next()
          isFirst = false
          if (text === null) return close(controller)
          controller.enqueue(encoder.encode(text))
          stallTimer = setTimeout(() => {
            end('stalled')
            controller.error(new Error('the reader took nothing for too long'))
          }, stallMs)
        } catch (error) {
          end('failed', error)
          controller.error(error)
        }
      },
      cancel: () => end('left'),
    },
    { highWaterMark: 0 },
  )
}

function close(controller: ReadableStreamDefaultController<Uint8Array>): void {
  try {
    controller.close()
  } catch {
    // Already cancelled by the reader, or ended by the stall timer.
  }
}
