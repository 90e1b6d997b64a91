/** One block of a server-sent event stream. */
export interface SseBlock {
  /** `undefined` when the block names none. */
  id: string | undefined
  event: string
  /** `null` for a block without data: it only moves the id. */
  data: string | null
}

/** Longest block that is taken, in characters: more is a broken or hostile stream. */
const MAX_BLOCK = 8_000_000

/** Reads the blocks of an event stream; comments count as life (`onLife`) and give nothing. */
export async function* parseSse(
  stream: ReadableStream<Uint8Array>,
  onLife: () => void = () => {},
): AsyncGenerator<SseBlock> {
  // Every command loads the client; few of them follow a stream.
  const { createParser } = await import('eventsource-parser')
  const decoder = new TextDecoder()
  const reader = stream.getReader()
  let blocks: SseBlock[] = []
  let isTooLong = false
  const parser = createParser({
    maxBufferSize: MAX_BLOCK,
    // Comes first, and alone for a block without data.
    onId: (id) => blocks.push({ id, event: 'message', data: null }),
    onEvent({ id, event = 'message', data }) {
      if (id !== undefined) blocks.pop()
      blocks.push({ id, event, data })
    },
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') isTooLong = true
    },
  })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onLife()
      parser.feed(decoder.decode(value, { stream: true }))
      yield* blocks
      blocks = []
      if (isTooLong) throw new Error('an event is too long')
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
