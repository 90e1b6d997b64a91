import { type AppError, isAppError } from '../../domain/errors'
import type { Operation } from '../contract/operation'
import type { Caller, FieldsOf, FollowOptions } from './call'
import { parseSse, type SseBlock } from './sse-parse'

const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 5_000
/** The server sends something every 15 s; longer silence means that the connection is dead. */
const SILENCE_MS = 45_000

/** A stream of numbered events: what it is asked for and how an event is read. */
export interface StreamReader<Op extends Operation, Entry> {
  operation: Op
  fields: FieldsOf<Op>
  /** The number of the last entry that the reader has. */
  cursor: number | undefined
  /** `undefined` for what is no entry. */
  read(data: string, event: string): Entry | undefined
  /** The name of the event that ends the stream for good; without one it goes on for ever. */
  endEvent?: string
  /** The name of events that have no number: all of them are handed out. */
  besideEvent?: string
}

/**
 * Follows a stream over as many connections as it takes. The cursor moves with every entry handed out, so a new connection begins
 * exactly behind it; what a connection repeats all the same is dropped here.
 */
export async function* followStream<Op extends Operation, Entry>(
  caller: Caller,
  { operation, fields, read, endEvent, besideEvent, ...from }: StreamReader<Op, Entry>,
  options: FollowOptions = {},
): AsyncGenerator<Entry> {
  const { signal, onOpen, onRetry } = options
  let { cursor } = from
  const firstWaitMs = options.retryWaitMs ?? FIRST_WAIT_MS
  let waitMs = firstWaitMs
  while (!signal?.aborted) {
    const connection = openConnection(signal)
    try {
      const headers = {
        accept: 'text/event-stream',
        ...(cursor !== undefined && { 'last-event-id': String(cursor) }),
      }
      const response = await caller.open(operation, fields, { signal: connection.signal, headers })
      onOpen?.()
      for await (const block of parseSse(response.body ?? new ReadableStream(), connection.alive)) {
        waitMs = firstWaitMs
        const seq = numberOf(block)
        const isNew = seq !== undefined && (cursor === undefined || seq > cursor)
        if (isNew) cursor = seq
        const isWanted = (isNew && block.event !== endEvent) || (seq === undefined && block.event === besideEvent)
        const entry = block.data === null || !isWanted ? undefined : read(block.data, block.event)
        if (entry !== undefined) yield entry
        if (endEvent !== undefined && block.event === endEvent) return
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

function numberOf({ id }: SseBlock): number | undefined {
  const seq = Number(id)
  return id !== undefined && Number.isSafeInteger(seq) ? seq : undefined
}

const isPassing = (error: AppError) => error.code === 'unavailable' || error.code === 'internal'

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
