import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseSse, type SseBlock } from './sse-parse'

async function blocksOf(chunks: readonly (string | Uint8Array)[], onLife?: () => void): Promise<SseBlock[]> {
  const bytes = chunks.map((chunk) => (typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk))
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of bytes) controller.enqueue(chunk)
      controller.close()
    },
  })
  return await Array.fromAsync(parseSse(stream, onLife))
}

const message = (data: string | null, more: Partial<SseBlock> = {}): SseBlock => ({
  id: undefined,
  event: 'message',
  data,
  ...more,
})

test('a line ends with LF, CR or both, and a block with an empty line', async () => {
  for (const end of ['\n', '\r\n', '\r']) {
    const text = ['id: 7', 'event: line', 'data: a', 'data: b', '', 'data: c', '', ''].join(end)
    expect(await blocksOf([text])).toEqual([message('a\nb', { id: '7', event: 'line' }), message('c')])
  }
  expect(await blocksOf(['data: a\r\ndata: b\n\rdata: c\r\r'])).toEqual([message('a\nb'), message('c')])
})

test('fields are read as the specification says', async () => {
  // One blank behind the colon goes, no more; a field without a colon is empty; unknown ones and other cases mean nothing.
  expect(await blocksOf(['data:a\ndata:  b\ndata\nDATA: x\nother: y\n: z\n\n'])).toEqual([message('a\n b\n')])
  expect(await blocksOf(['data\n\n', 'event:\ndata: a\n\n'])).toEqual([message(''), message('a')])
  expect(await blocksOf(['event: line\n\ndata: a\n\n'])).toEqual([message('a')])
  expect(await blocksOf(['id: 1\u00002\ndata: a\n\n', 'id: 3\nid\ndata: b\n\n'])).toEqual([
    message('a'),
    message('b', { id: '' }),
  ])
  expect(await blocksOf([new Uint8Array([0xef, 0xbb, 0xbf]), 'data: a\n\n'])).toEqual([message('a')])
})

test('a block without data moves the id, and one that was cut off is none', async () => {
  expect(await blocksOf(['retry: 1000\nid: 5\n\n', ':\n\n', 'id: 6\n\ndata: a\n\nid: 7\ndata: b\n'])).toEqual([
    message(null, { id: '5' }),
    message(null, { id: '6' }),
    message('a'),
  ])
})

test('every chunk is a sign of life', async () => {
  let signs = 0
  await blocksOf([':\n\n', 'data: a', '\n\n'], () => signs++)
  expect(signs).toBe(3)
})

test('it does not matter where the stream is cut into chunks', async () => {
  const part = fc.constantFrom('data: é', 'data:😀', 'id: 1', 'id', 'event: x', ': c', '', '', '\ufeff')
  const end = fc.constantFrom('\n', '\r\n', '\r')
  const lines = fc.array(fc.tuple(part, end), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(lines, fc.array(fc.nat(100)), async (parts, cuts) => {
      const bytes = new TextEncoder().encode(parts.flat().join(''))
      const places = [...cuts.filter((at) => at < bytes.length).sort((a, b) => a - b), bytes.length]
      const chunks = places.map((to, i) => bytes.subarray(places[i - 1] ?? 0, to))
      expect(await blocksOf(chunks)).toEqual(await blocksOf([bytes]))
    }),
  )
})

test('a block without end is refused', async () => {
  const megabyte = 'x'.repeat(1_000_000)
  const lines = Array.from({ length: 9 }, () => `data: ${megabyte}\n`)
  await expect(blocksOf(lines)).rejects.toThrow('an event is too long')
  await expect(blocksOf(['data: ', ...Array.from({ length: 9 }, () => megabyte)])).rejects.toThrow(
    'an event is too long',
  )
})
