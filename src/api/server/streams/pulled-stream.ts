import type { SecretMask } from '../../../domain/secrets/mask'

/** Why a stream is over. `done`: there is nothing more to say. */
export type StreamEnd = 'left' | 'done' | 'stalled' | 'failed'

export interface PulledStreamOptions {
  /** The first text, sent at once. */
  first: string
  /** The next text; waits until there is one. `null` = the stream is over, or `signal` aborted. */
  next(signal: AbortSignal): Promise<string | null>
  /** Hides secrets in each text. */
  mask: SecretMask
  /** Time after which a reader that takes nothing is cut, in milliseconds. */
  stallMs: number
  /** The connection's own end. */
  signal: AbortSignal
  /** Called once, with why the stream is over. */
  onEnd: (why: StreamEnd, error?: unknown) => void
}

export interface PulledStream {
  stream: ReadableStream<Uint8Array>
  /** Ends it as if the reader had left. */
  end(): void
}

const encoder = new TextEncoder()

/**
 * A stream of text that is pulled: nothing is read for a reader, and nothing is kept for it, until its socket has taken what came
 * before. One that takes nothing for `stallMs` is cut.
 */
export function pulledStream({ first, next, mask, stallMs, signal, onEnd }: PulledStreamOptions): PulledStream {
  const over = new AbortController()
  let stallTimer: ReturnType<typeof setTimeout> | undefined

  function end(why: StreamEnd, error?: unknown): void {
    if (over.signal.aborted) return
    over.abort()
    clearTimeout(stallTimer)
    onEnd(why, error)
  }

  signal.addEventListener('abort', () => end('left'), { once: true })
  if (signal.aborted) end('left')
  let isFirst = true
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(stallTimer)
        try {
          const text = isFirst ? first : over.signal.aborted ? null : await next(over.signal)
          isFirst = false
          if (text === null) {
            end('done')
            return close(controller)
          }
          controller.enqueue(encoder.encode(mask.text(text)))
          stallTimer = setTimeout(() => {
            end('stalled')
            controller.error(new Error('The reader was idle for too long.'))
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
  return { stream, end: () => end('left') }
}

function close(controller: ReadableStreamDefaultController<Uint8Array>): void {
  try {
    controller.close()
  } catch {
    // Already cancelled by the reader, or ended by the stall timer.
  }
}
