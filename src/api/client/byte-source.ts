import { AppError } from '../../domain/errors'

/** A stream of bytes to take from in pieces of one's own size. */
export interface ByteSource {
  /** At least one byte and at most `max`, as they come. @throws `unavailable` at the end of the stream */
  upTo(max: number): Promise<Uint8Array>
  /** Exactly `length` bytes. @throws `unavailable` when the stream ends before */
  exactly(length: number): Promise<Uint8Array>
  cancel(): Promise<void>
}

export function createByteSource(stream: ReadableStream<Uint8Array>): ByteSource {
  const reader = stream.getReader()
  let held: Uint8Array = new Uint8Array(0)

  async function upTo(max: number): Promise<Uint8Array> {
    while (held.length === 0) held = await next()
    const piece = held.subarray(0, max)
    held = held.subarray(piece.length)
    return piece
  }

  async function next(): Promise<Uint8Array> {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw endedEarly(cause)
    })
    if (done) throw endedEarly()
    return value
  }

  return {
    upTo,
    async exactly(length) {
      const whole = new Uint8Array(length)
      let filled = 0
      while (filled < length) {
        const piece = await upTo(length - filled)
        whole.set(piece, filled)
        filled += piece.length
      }
      return whole
    },
    cancel: () => reader.cancel().catch(() => {}),
  }
}

const endedEarly = (cause?: unknown) =>
  new AppError('unavailable', 'The answer ended before it was complete.', {
    hint: 'Try again. The data received so far is incomplete.',
    cause,
  })
