import { type AppError, isAppError } from '../../domain/errors'
import { feedSeq } from '../../domain/ids'
import type { RequestInput } from '../contract/requests'
import type { FeedEntry } from '../contract/wire'
import type { Caller } from './call'
import type { FollowOptions } from './client'
import { isRecord, parseJson } from './remote-error'
import { parseSse } from './sse-parse'

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 5_000
/** The server sends something every 15 s; longer silence means that the connection is dead. */
const SILENCE_MS = 45_000

/**
 * Follows the feed over as many connections as it takes. The cursor moves with every entry handed out, so a new connection begins
 * exactly behind it; what a connection repeats all the same is dropped here.
 */
export async function* followFeed(
  caller: Caller,
  input: RequestInput<'feed.follow'>,
  options: FollowOptions = {},
): AsyncGenerator<FeedEntry> {
  const { signal, onOpen, onRetry } = options
  let cursor = input.after
  const firstWaitMs = options.retryWaitMs ?? FIRST_WAIT_MS
  let waitMs = firstWaitMs
  while (!signal?.aborted) {
    const connection = openConnection(signal)
    try {
      const headers = cursor === undefined ? undefined : { 'last-event-id': String(cursor) }
      const response = await caller.open('feed.follow', input, { signal: connection.signal, headers })
      onOpen?.()
      for await (const block of parseSse(response.body ?? new ReadableStream(), connection.alive)) {
        waitMs = firstWaitMs
        const seq = Number(block.id)
        if (block.id === undefined || !Number.isSafeInteger(seq)) continue
        const isNew = cursor === undefined || seq > cursor
        if (isNew) cursor = seq
        const entry = block.data === null || !isNew ? undefined : readEntry(block.data)
        if (entry !== undefined) yield entry
      }
      throw new Error('the connection ended')
    } catch (error) {
      if (signal?.aborted) return
      if (isAppError(error) && !isPassing(error)) throw error
      onRetry?.(error instanceof Error ? error : new Error(String(error)), waitMs)
    } finally {
      connection.close()
    }
    await pause(waitMs, signal)
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
  }
}

const isPassing = (error: AppError) => error.code === 'unavailable' || error.code === 'internal'

function readEntry(data: string): FeedEntry | undefined {
  const entry = parseJson(data)
  if (!isRecord(entry) || typeof entry.seq !== 'number') return undefined
  return { ...(entry as unknown as FeedEntry), seq: feedSeq(entry.seq) }
}

/** One attempt's signal: ends with the caller's, or when nothing came for `SILENCE_MS`. */
function openConnection(outer: AbortSignal | undefined) {
  const inner = new AbortController()
  const end = () => inner.abort(outer?.reason)
  const arm = () => setTimeout(() => inner.abort(new Error('nothing came for too long')), SILENCE_MS)
  let timer = arm()
  outer?.addEventListener('abort', end, { once: true })
  return {
    signal: inner.signal,
    alive() {
      clearTimeout(timer)
      timer = arm()
    },
    close() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', end)
      inner.abort()
    },
  }
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done, { once: true })
    if (signal?.aborted) done()
  })
}
