/** What holds of rollouts whatever their bytes are: damaged, doubled, mixed and hostile ones. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { CARRY_LIMIT, type ParsedLines, SEARCH_LIMIT, TEXT_LIMIT } from '../../../src/domain/record/observation'
import { codexHarness } from '../../../src/harness/codex/agent-harness'
import { pick } from '../scenario'
import { AT, idAt, item, meta, parse, type Rollout, rolloutsOf, STORIES, says, tokens, turn } from './rollouts'

const OWN = idAt(AT, 1)
const PATH = `/home/user/.codex/sessions/2026/06/01/rollout-2026-06-01T00-00-00-${OWN}.jsonl`
const REFS: Rollout['ref'][] = [
  { agent: 'codex', kind: 'transcript', path: PATH, sessionId: OWN, subagentId: null },
  { agent: 'codex', kind: 'subagent', path: PATH, sessionId: idAt(AT - 1, 2), subagentId: OWN },
]

/** Lines of every recording, and some of other releases. */
const LINES: string[] = [
  ...STORIES.flatMap((story) => rolloutsOf(story).flatMap(({ bytes }) => bytes.toString().trimEnd().split('\n'))),
  meta(AT, OWN, { forked_from_id: idAt(AT - 9, 3) }),
  meta(AT, idAt(AT - 9, 3)),
  turn(AT - 5, 4),
  turn(AT + 5, 5),
  says(AT, 'user', 'Hello'),
  tokens(AT, [1, 0, 1], [1, 0, 1]),
  JSON.stringify({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'bare' }] }),
  JSON.stringify({ record_type: 'state' }),
]

const ref = fc.constantFrom(...REFS)
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
      .array(fc.constantFrom('{', '}', '"', '\n', '{"', '":', 'type', 'payload', 'timestamp', '[', '\0', '\r\n'), {
        maxLength: 80,
      })
      .map((parts) => Buffer.from(parts.join(''))),
  )
  fc.assert(
    fc.property(ref, noise, fc.nat(1e9), fc.option(fc.string()), (place, bytes, offset, carry) => {
      checkAnswer(bytes, offset, parse({ ref: place, bytes: Buffer.from(bytes) }, offset, carry))
    }),
    { numRuns: 2_000 },
  )
})

test('fields of any shape give an answer', () => {
  const value = fc.jsonValue({ maxDepth: 3 })
  const payload = fc.dictionary(
    fc.constantFrom(
      'type',
      'id',
      'call_id',
      'name',
      'arguments',
      'output',
      'content',
      'item',
      'info',
      'message',
      'plan',
    ),
    fc.oneof(value, fc.constantFrom('message', 'function_call', 'item_completed', 'token_count', 'x\0y', '\ud800')),
  )
  const type = fc.constantFrom('response_item', 'event_msg', 'session_meta', 'turn_context', 'compacted', 'odd')
  fc.assert(
    fc.property(ref, type, payload, (place, name, fields) => {
      const line = JSON.stringify({ timestamp: new Date(AT).toISOString(), type: name, payload: fields })
      const bytes = bytesOf([line])
      checkAnswer(bytes, 0, parse({ ref: place, bytes }))
    }),
    { numRuns: 2_000 },
  )
})

test('read in two parts, at any line, a file says the same', () => {
  fc.assert(
    fc.property(ref, someLines, fc.nat(12), fc.nat(1e9), (place, lines, at, offset) => {
      const whole = bytesOf(lines)
      const cut = bytesOf(lines.slice(0, at)).length
      const first = parse({ ref: place, bytes: whole.subarray(0, cut) }, offset)
      const second = parse({ ref: place, bytes: whole.subarray(cut) }, offset + cut, first.carry)
      const together = parse({ ref: place, bytes: whole }, offset)
      expect([...first.observations, ...second.observations]).toEqual(together.observations)
      expect(second.carry).toEqual(together.carry)
    }),
    { numRuns: 500 },
  )
})

test('a half-written last line waits until its end is there', () => {
  fc.assert(
    fc.property(ref, someLines, fc.double({ min: 0, max: 1, noNaN: true }), (place, lines, part) => {
      const whole = bytesOf(lines)
      const cut = Math.floor(part * whole.length)
      const first = parse({ ref: place, bytes: whole.subarray(0, cut) })
      const rest = parse({ ref: place, bytes: whole.subarray(first.consumed) }, first.consumed, first.carry)
      expect([...first.malformed, ...rest.malformed]).toEqual([])
      expect([...first.observations, ...rest.observations]).toEqual(parse({ ref: place, bytes: whole }).observations)
    }),
    { numRuns: 500 },
  )
})

const uuidsIn = (parsed: ParsedLines): string[] => pick(parsed.observations, 'event').map(({ uuid }) => uuid)

/** An envelope whose payload is whole when it is cut before its last bracket. */
const WHOLE_PAYLOAD = item(AT, { type: 'function_call', name: 'exec_command', arguments: '{}', call_id: 'call_1' })
const PAYLOAD_END = WHOLE_PAYLOAD.length - 0.5

test('half a line, before which and onto which others stand, costs no good line', () => {
  const said = [
    says(AT + 1, 'user', 'One'),
    item(AT + 2, { type: 'reasoning', summary: [] }),
    says(AT + 3, 'assistant', 'Two'),
  ]
  const good = uuidsIn(parse({ ref: REFS[0] as Rollout['ref'], bytes: bytesOf(said) }))
  fc.assert(
    fc.property(
      fc.constantFrom(...LINES),
      fc.double({ min: 0.02, max: 0.98, noNaN: true }),
      fc.nat(2),
      (torn, part, at) => {
        const bytes = Buffer.from(torn)
        const half = bytes.subarray(0, Math.max(1, Math.floor(part * bytes.length)))
        const parts = said.map((one, n) => Buffer.concat([n === at ? half : Buffer.alloc(0), Buffer.from(`${one}\n`)]))
        const parsed = parse({ ref: REFS[0] as Rollout['ref'], bytes: Buffer.concat(parts) })
        expect(uuidsIn(parsed)).toEqual(good)
        expect(parsed.malformed).toHaveLength(1)
      },
    ),
    { numRuns: 500, examples: [[WHOLE_PAYLOAD, PAYLOAD_END / WHOLE_PAYLOAD.length, 0]] },
  )
})

test('doubled lines of two processes that write at once are the same events', () => {
  const timed = LINES.filter((one) => one.startsWith('{"timestamp"'))
  fc.assert(
    fc.property(fc.shuffledSubarray(timed, { minLength: 1, maxLength: 12 }), (lines) => {
      const known = (all: readonly string[]) =>
        new Set(all.flatMap((one) => uuidsIn(parse({ ref: REFS[0] as Rollout['ref'], bytes: bytesOf([one]) }))))
      const doubled = parse({ ref: REFS[0] as Rollout['ref'], bytes: bytesOf([...lines, ...lines]) })
      expect(new Set(uuidsIn(doubled))).toEqual(known(lines))
    }),
    { numRuns: 300 },
  )
})

test('a giant line is read, and shown as far as fits', async () => {
  const line = Buffer.from(says(AT, 'user', 'x'.repeat(20_000_000)))
  const parsed = parse({ ref: REFS[0] as Rollout['ref'], bytes: Buffer.concat([line, Buffer.from('\n')]) })
  expect(pick(parsed.observations, 'event')).toMatchObject([{ isCut: true, length: line.length }])
  expect((await codexHarness.words.contentOf(line)).isCut).toBe(true)
})

test('whatever a line is, it can be shown', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.constantFrom(...LINES), fc.json(), fc.string()), async (line) => {
      const bytes = Buffer.from(line)
      expect((await codexHarness.words.contentOf(bytes)).blocks.length).toBeGreaterThan(0)
      expect((await codexHarness.words.textOf(bytes)) ?? '').toBeString()
    }),
    { numRuns: 500 },
  )
})
