/** What lines of real recordings hold, told by an oracle that knows nothing of the reader: each text of a message is in its blocks. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import fc from 'fast-check'
import { CONTENT_BYTES, type ContentBlock, PARSED_LINE_BYTES } from '../../src/domain/conversation/line-content'
import { readLineContent } from '../../src/harness/claude-code/content/line-content'
import { FIXTURES } from './scenario'

const LINES: string[] = []
for (const path of new Glob('**/*.jsonl').scanSync({ cwd: FIXTURES, dot: true }))
  LINES.push(...readFileSync(join(FIXTURES, path), 'utf8').split('\n').filter(Boolean))

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const read = (value: unknown) => readLineContent(bytesOf(JSON.stringify(value)))

/** Words of the format itself and of the model's provider: a person has no use for them. */
const NO_WORDS = new Set(['type', 'signature', 'caller', 'cache_control'])

function textsIn(value: unknown, into: string[] = []): string[] {
  if (typeof value === 'string') into.push(value)
  else if (Array.isArray(value)) for (const part of value) textsIn(part, into)
  else if (typeof value === 'object' && value !== null)
    for (const [name, part] of Object.entries(value)) if (!NO_WORDS.has(name)) textsIn(part, into)
  return into
}

/** All texts of the blocks; JSON is read again. */
function textsOfBlocks(blocks: readonly ContentBlock[]): string[] {
  return blocks.flatMap((block) =>
    block.kind === 'other' && block.name !== 'line' ? [...textsIn(JSON.parse(block.json)), block.json] : textsIn(block),
  )
}

test('every text of every recorded message is in its blocks, whole', () => {
  let count = 0
  for (const line of LINES) {
    const record: unknown = JSON.parse(line)
    const { message } = record as { message?: { content?: unknown } }
    const { blocks, isCut } = readLineContent(bytesOf(line))
    expect(isCut).toBeFalse()
    expect(blocks.length).toBeGreaterThan(0)
    const shown = textsOfBlocks(blocks)
    const all = shown.join('\u0001')
    for (const text of textsIn(message?.content)) {
      if (!all.includes(text)) throw new Error(`${JSON.stringify(text)} of ${line.slice(0, 500)} is in no block`)
      count++
    }
  }
  expect(LINES.length).toBeGreaterThan(1_500)
  expect(count).toBeGreaterThan(2_500)
})

test('lines that are no messages keep what they say', () => {
  for (const line of LINES) {
    const record: Record<string, unknown> = JSON.parse(line)
    if (typeof record.message === 'object') continue
    const all = textsOfBlocks(readLineContent(bytesOf(line)).blocks).join('\u0001')
    const { attachment } = record as { attachment?: { type: string; prompt?: unknown } }
    // A person's words of meanwhile are an entry of their own.
    const attached = attachment?.type === 'queued_command' ? attachment.prompt : attachment
    for (const part of [attached, record.content, record.error, record.compactMetadata])
      for (const text of textsIn(part)) expect(all).toContain(text)
  }
})

test('whatever the bytes are, there are blocks, of no more than four megabytes', () => {
  const answered = (line: Uint8Array) => {
    const { blocks } = readLineContent(line)
    expect(Buffer.byteLength(JSON.stringify(blocks))).toBeLessThanOrEqual(CONTENT_BYTES)
    return blocks
  }
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void answered(bytes)))
  fc.assert(
    fc.property(
      fc.constantFrom(...LINES),
      fc.nat(),
      fc.uint8Array({ minLength: 1, maxLength: 8 }),
      (line, at, junk) => {
        const bytes = Buffer.from(line)
        bytes.set(junk.subarray(0, bytes.length), at % Math.max(1, bytes.length - junk.length))
        answered(bytes)
        answered(bytes.subarray(0, at % bytes.length))
      },
    ),
  )
  // Any JSON in the place of anything.
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (content, result) => {
      for (const type of ['text', 'thinking', 'tool_use', 'tool_result', 'image', 'x'])
        answered(
          bytesOf(
            JSON.stringify({
              message: {
                content: [{ type, content, text: content, input: content, source: content, thinking: content }],
              },
              toolUseResult: result,
            }),
          ),
        )
      answered(bytesOf(JSON.stringify({ message: { content } })))
      answered(bytesOf(JSON.stringify(content)))
    }),
  )
})

test('broken UTF-8, NUL and control characters are shown, not dropped', () => {
  expect(readLineContent(new Uint8Array([0x7b, 0xff, 0x00, 0x1b])).blocks).toEqual([
    { kind: 'other', name: 'line', json: '{\ufffd\u0000\u001b' },
  ])
  const text = 'a\u0000b\u001b[31m\ud800c\u202e'
  expect(read({ message: { content: text } }).blocks).toEqual([{ kind: 'text', text }])
  expect(readLineContent(new Uint8Array()).blocks).toEqual([{ kind: 'other', name: 'line', json: '' }])
  for (const value of [null, 7, 'x', [1]])
    expect(read(value)).toEqual({
      blocks: [{ kind: 'other', name: 'line', json: JSON.stringify(value) }],
      isCut: false,
    })
})

test('what is larger than an answer is cut, and says so', () => {
  const size = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
  for (const unit of ['x', '\n', '\u0000', '"', 'é', '語', '🚀', '\ud800']) {
    const long = unit.repeat(5_000_000 / (size(unit) - 2))
    const { blocks, isCut } = read({
      message: {
        content: [
          { type: 'text', text: long },
          { type: 'text', text: 'z' },
        ],
      },
    })
    const [first] = blocks
    expect(isCut).toBeTrue()
    if (first?.kind !== 'text') throw new Error('no text')
    expect(long).toStartWith(first.text)
    expect(size(blocks)).toBeWithin(CONTENT_BYTES - 200, CONTENT_BYTES + 1)
  }
  const content = 'line\n'.repeat(700_000)
  const edit = { type: 'tool_use', id: 'c', name: 'Write', input: { file_path: '/a', content, more: [1, 'two'] } }
  const call = read({ message: { content: [edit] } })
  expect(call.isCut).toBeTrue()
  expect(call.blocks.map(({ kind }) => kind)).toEqual(['call'])
  expect(size(call.blocks)).toBeLessThanOrEqual(CONTENT_BYTES)
  const many = Array.from({ length: 200_000 }, (_, i) => ({ type: 'text', text: `${i}` }))
  const blocks = read({ message: { content: many } })
  expect([blocks.isCut, size(blocks.blocks) <= CONTENT_BYTES]).toEqual([true, true])
})

test('a line of 64 MB is shown as it begins', () => {
  const line = bytesOf(JSON.stringify({ message: { content: 'y'.repeat(64_000_000) } }))
  const { blocks, isCut } = readLineContent(line)
  const [only] = blocks
  if (only?.kind !== 'other') throw new Error('no block')
  expect([isCut, blocks.length, only.name, only.json.slice(0, 25)]).toEqual([
    true,
    1,
    'line',
    '{"message":{"content":"yy',
  ])
  expect(readLineContent(line.subarray(0, PARSED_LINE_BYTES + 1))).toEqual({ blocks, isCut })
})

test('what is nested without end neither fails nor comes back', () => {
  const nested = (depth: number): unknown => JSON.parse('{"a":['.repeat(depth) + ']}'.repeat(depth))
  const deep = read({ message: { content: [{ type: 'tool_use', id: 'c', name: 'X', input: nested(2_000) }] } })
  expect(deep.isCut).toBeTrue()
  expect(deep.blocks.map(({ kind }) => kind)).toEqual(['call'])
  expect(read({ message: { content: [nested(2_000)] } }).blocks.map(({ kind }) => kind)).toEqual(['other'])
  const text = `{"message":{"content":${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}}}`
  expect(readLineContent(bytesOf(text)).blocks.length).toBeLessThanOrEqual(1)
})

test("a field '__proto__' stays a field", () => {
  const line = '{"message":{"content":[{"type":"tool_use","id":"c","name":"X","input":{"__proto__":{"x":1},"y":"z"}}]}}'
  const { blocks } = readLineContent(bytesOf(line))
  expect(JSON.stringify(blocks)).toContain('"input":{"__proto__":{"x":1},"y":"z"}')
})

test('images are shown when a browser may show them, else told of without their bytes', () => {
  const image = (media_type: string, data: string, type = 'base64') => ({
    type: 'image',
    source: { type, media_type, data },
  })
  const blocks = (...content: unknown[]) => read({ message: { content } }).blocks
  expect(blocks(image('image/png', 'iVBORw0KGgo='))).toEqual([
    { kind: 'image', mediaType: 'image/png', base64: 'iVBORw0KGgo=' },
  ])
  for (const hostile of [
    image('image/svg+xml', 'PHN2Zz4='),
    image('text/html', 'PGI+'),
    image('image/png', '"><script>'),
    image('image/png', ''),
    image('image/png', 'aGk=', 'url'),
    { type: 'image', source: { type: 'url', url: 'http://127.0.0.1/x.png' } },
  ])
    expect(blocks(hostile).map(({ kind }) => kind)).toEqual(['other'])
  const answer = (content: unknown) => blocks({ type: 'tool_result', tool_use_id: 't', content })
  expect(answer([{ type: 'text', text: 'see' }, image('image/webp', 'aGk='), { type: 'text', text: 'it' }])).toEqual([
    {
      kind: 'answer',
      toolUseId: 't',
      isError: false,
      text: 'see\nit',
      images: [{ mediaType: 'image/webp', base64: 'aGk=' }],
    },
  ])
  const large = read({
    message: { content: [image('image/png', 'A'.repeat(5_000_000)), { type: 'text', text: 'after' }] },
  })
  expect(large.isCut).toBeTrue()
  expect(large.blocks).toEqual([
    {
      kind: 'other',
      name: 'image',
      json: '{"type":"image","source":{"type":"base64","media_type":"image/png","data":"(5000000 characters)"}}',
    },
    { kind: 'text', text: 'after' },
  ])
  const pdf = {
    type: 'document',
    source: { type: 'base64', media_type: 'application/pdf', data: 'A'.repeat(9_000_000) },
  }
  expect(read({ message: { content: [pdf, { type: 'text', text: 'after' }] } }).blocks.map(({ kind }) => kind)).toEqual(
    ['other', 'text'],
  )
})

test('fields beside the words are kept as JSON', () => {
  const citations = [{ url: 'https://example.com', cited_text: 'words' }]
  const { blocks } = read({ message: { content: [{ type: 'text', text: 'said', citations, cache_control: {} }] } })
  expect(blocks).toEqual([
    { kind: 'text', text: 'said' },
    { kind: 'other', name: 'text', json: JSON.stringify({ citations }) },
  ])
  const found = [{ type: 'web_search_result', title: 'T', url: 'https://example.com' }]
  expect(
    read({ message: { content: [{ type: 'web_search_tool_result', tool_use_id: 's', content: found }] } }).blocks,
  ).toEqual([
    { kind: 'answer', toolUseId: 's', isError: false, text: '', images: [] },
    { kind: 'other', name: 'web_search_result', json: JSON.stringify(found[0]) },
  ])
  expect(
    read({
      type: 'system',
      subtype: 'compact_boundary',
      uuid: 'u',
      content: 'Compacted',
      compactMetadata: { preTokens: 9 },
    }).blocks,
  ).toEqual([
    { kind: 'text', text: 'Compacted' },
    { kind: 'other', name: 'compact_boundary', json: '{"compactMetadata":{"preTokens":9}}' },
  ])
})
