/** What holds of Pi's files whatever their bytes are: damaged, doubled, mixed and hostile ones. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { CARRY_LIMIT, type ParsedLines, SEARCH_LIMIT, TEXT_LIMIT } from '../../../src/domain/record/observation'
import { piHarness } from '../../../src/harness/pi/agent-harness'
import { pick } from '../scenario'
import { AT, assistant, entry, filesOf, header, parse, STORIES, says, session, user } from './sessions'

/** Lines of every recording, and some of other releases. */
const LINES: string[] = [
  ...STORIES.flatMap((story) => filesOf(story).flatMap(({ bytes }) => bytes.toString().trimEnd().split('\n'))),
  header(AT, { parentSession: '/x/2026-05-31T00-00-00-000Z_other.jsonl' }),
  says(AT - 5, 'aaaaaaaa', null, user('Before')),
  says(AT + 5, 'bbbbbbbb', 'aaaaaaaa', assistant('After')),
  entry(AT + 6, 'branch_summary', 'cccccccc', 'aaaaaaaa', { summary: 'Left', fromId: 'bbbbbbbb' }),
  JSON.stringify({ type: 'message', timestamp: new Date(AT).toISOString(), message: { role: 'user', content: 'Old' } }),
]

const { ref } = session([])
const someLines = fc.array(fc.constantFrom(...LINES), { minLength: 1, maxLength: 12 })
const bytesOf = (lines: readonly string[]): Buffer => Buffer.from(lines.map((one) => `${one}\n`).join(''))

function checkAnswer(bytes: Uint8Array, offset: number, parsed: ParsedLines): void {
  expect(parsed.consumed).toBe(bytes.lastIndexOf(10) + 1)
  expect(parsed.carry?.length ?? 0).toBeLessThanOrEqual(CARRY_LIMIT)
  const events = pick(parsed.observations, 'event')
  const places = [...parsed.malformed, ...events.map((event) => ({ ...event, reason: '' }))].sort(
    (a, b) => a.offset - b.offset,
  )
  let end = offset
  for (const place of places) {
    expect(place.offset).toBeGreaterThanOrEqual(end)
    end = place.offset + place.length
    expect(place.reason).not.toStartWith('not readable')
  }
  expect(end).toBeLessThanOrEqual(offset + parsed.consumed)
  for (const { text, searchText } of events) {
    expect(text?.length ?? 0).toBeLessThanOrEqual(TEXT_LIMIT)
    expect(searchText?.length ?? 0).toBeLessThanOrEqual(SEARCH_LIMIT)
  }
  for (const text of stringsIn(parsed.observations)) {
    expect(text.isWellFormed()).toBe(true)
    expect(text.includes('\0')).toBe(false)
  }
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

test('any bytes give an answer with exact places, and nothing is thrown', () => {
  const noise = fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    fc
      .array(fc.constantFrom('{', '}', '"', '\n', '{"', '":', 'type', 'message', 'timestamp', '[', '\0', '\r\n'), {
        maxLength: 80,
      })
      .map((parts) => Buffer.from(parts.join(''))),
  )
  fc.assert(
    fc.property(noise, fc.nat(1e9), fc.option(fc.string()), (bytes, offset, carry) => {
      checkAnswer(bytes, offset, parse({ ref, bytes: Buffer.from(bytes) }, offset, carry))
    }),
    { numRuns: 2_000 },
  )
})

test('fields of any shape give an answer', () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom('user', 'assistant', 'toolResult', 'system', 'x\0y', '\ud800', 'toolCall', 'stop'),
  )
  const part = fc.dictionary(fc.constantFrom('type', 'text', 'id', 'name', 'arguments', 'thinking', 'data'), value)
  const message = fc.dictionary(
    fc.constantFrom('role', 'content', 'usage', 'model', 'toolCallId', 'stopReason', 'summary', 'sections'),
    fc.oneof(value, fc.array(part, { maxLength: 3 })),
  )
  const fields = fc.dictionary(
    fc.constantFrom('id', 'parentId', 'parentSession', 'cwd', 'modelId', 'name', 'usage', 'summary', 'label', 'key'),
    value,
  )
  const type = fc.constantFrom('session', 'message', 'model_change', 'session_info', 'compaction', 'usage', 'odd')
  fc.assert(
    fc.property(type, fields, message, (name, more, said) => {
      const line = JSON.stringify({ type: name, timestamp: new Date(AT).toISOString(), ...more, message: said })
      const bytes = bytesOf([line])
      checkAnswer(bytes, 0, parse({ ref, bytes }))
    }),
    { numRuns: 2_000 },
  )
})

test('read in two parts, at any line, a file says the same', () => {
  fc.assert(
    fc.property(someLines, fc.nat(12), fc.nat(1e9), (lines, at, offset) => {
      const whole = bytesOf(lines)
      const cut = bytesOf(lines.slice(0, at)).length
      const first = parse({ ref, bytes: whole.subarray(0, cut) }, offset)
      const second = parse({ ref, bytes: whole.subarray(cut) }, offset + cut, first.carry)
      const together = parse({ ref, bytes: whole }, offset)
      expect([...first.observations, ...second.observations]).toEqual(together.observations)
      expect(second.carry).toEqual(together.carry)
    }),
    { numRuns: 500 },
  )
})

test('a half-written last line waits until its end is there', () => {
  fc.assert(
    fc.property(someLines, fc.double({ min: 0, max: 1, noNaN: true }), (lines, part) => {
      const whole = bytesOf(lines)
      const cut = Math.floor(part * whole.length)
      const first = parse({ ref, bytes: whole.subarray(0, cut) })
      const rest = parse({ ref, bytes: whole.subarray(first.consumed) }, first.consumed, first.carry)
      expect([...first.malformed, ...rest.malformed]).toEqual([])
      expect([...first.observations, ...rest.observations]).toEqual(parse({ ref, bytes: whole }).observations)
    }),
    { numRuns: 500 },
  )
})

const uuidsIn = (parsed: ParsedLines): string[] => pick(parsed.observations, 'event').map(({ uuid }) => uuid)

test('half a line, before which and onto which others stand, costs no good line', () => {
  const said = [
    says(AT + 1, '11111111', null, user('One')),
    says(AT + 2, '22222222', '11111111', { role: 'toolResult', toolCallId: 'a', content: [] }),
    says(AT + 3, '33333333', '22222222', assistant('Two')),
  ]
  const good = uuidsIn(parse({ ref, bytes: bytesOf(said) }))
  fc.assert(
    fc.property(
      fc.constantFrom(...LINES),
      fc.double({ min: 0.02, max: 0.98, noNaN: true }),
      fc.nat(2),
      (torn, part, at) => {
        const bytes = Buffer.from(torn)
        const half = bytes.subarray(0, Math.max(1, Math.floor(part * bytes.length)))
        const parts = said.map((one, n) => Buffer.concat([n === at ? half : Buffer.alloc(0), Buffer.from(`${one}\n`)]))
        const parsed = parse({ ref, bytes: Buffer.concat(parts) })
        expect(uuidsIn(parsed)).toEqual(good)
        expect(parsed.malformed).toHaveLength(1)
      },
    ),
    { numRuns: 500 },
  )
})

test('doubled lines of two processes that write at once are the same events', () => {
  const withIds = LINES.filter((one) => /"id":"[0-9a-f]{8}"/.test(one))
  fc.assert(
    fc.property(fc.shuffledSubarray(withIds, { minLength: 1, maxLength: 12 }), (lines) => {
      const known = new Set(lines.flatMap((one) => uuidsIn(parse({ ref, bytes: bytesOf([one]) }))))
      expect(new Set(uuidsIn(parse({ ref, bytes: bytesOf([...lines, ...lines]) })))).toEqual(known)
    }),
    { numRuns: 300 },
  )
})

test('a giant line is read, and shown as far as fits', async () => {
  const line = Buffer.from(says(AT, 'aaaaaaaa', null, user('x'.repeat(20_000_000))))
  const parsed = parse({ ref, bytes: Buffer.concat([line, Buffer.from('\n')]) })
  expect(pick(parsed.observations, 'event')).toMatchObject([{ isCut: true, length: line.length }])
  expect((await piHarness.words.contentOf(line)).isCut).toBe(true)
})

test('whatever a line is, it can be shown', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.constantFrom(...LINES), fc.json(), fc.string()), async (line) => {
      const bytes = Buffer.from(line)
      expect((await piHarness.words.contentOf(bytes)).blocks.length).toBeGreaterThan(0)
      expect((await piHarness.words.textOf(bytes)) ?? '').toBeString()
    }),
    { numRuns: 500 },
  )
})
