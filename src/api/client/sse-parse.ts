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
  const decoder = new TextDecoder()
  const reader = stream.getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onLife()
      rest = (rest + decoder.decode(value, { stream: true })).replace(/\r\n/g, '\n')
      const blocks = rest.split('\n\n')
      rest = blocks.pop() ?? ''
      if (rest.length > MAX_BLOCK) throw new Error('an event is too long')
      for (const text of blocks) {
        const block = parseBlock(text)
        if (block.id !== undefined || block.data !== null) yield block
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function parseBlock(text: string): SseBlock {
  const block: SseBlock = { id: undefined, event: 'message', data: null }
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':')
    if (colon === 0) continue
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'id') block.id = value
    else if (field === 'event') block.event = value
    else if (field === 'data') block.data = block.data === null ? value : `${block.data}\n${value}`
  }
  return block
}
