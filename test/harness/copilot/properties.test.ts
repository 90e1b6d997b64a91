/** What holds of sessions whatever their bytes are: damaged, doubled, mixed and hostile ones. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { CARRY_LIMIT, type ParsedLines, SEARCH_LIMIT, TEXT_LIMIT } from '../../../src/domain/record/observation'
import { copilotHarness } from '../../../src/harness/copilot/agent-harness'
import { pick } from '../scenario'
import { AT, line, parse, SESSION, type SessionFile, STORIES, session, sessionOf } from './sessions'

const REF: SessionFile['ref'] = session([]).ref

/** Lines of every recording, and some of other releases. */
const LINES: string[] = [
  ...STORIES.flatMap((story) => sessionOf(story).bytes.toString().trimEnd().split('\n')),
  line(AT, 'user.message', { content: 'Hello', source: 'skill-pdf' }),
  line(AT, 'subagent.failed', { toolCallId: 'call_1', error: 'No' }),
  line(AT, 'session.shutdown', { modelMetrics: { model: { usage: { inputTokens: 7 } } } }),
  line(AT, 'no.such_type', { sessionId: SESSION }),
]

const ref = fc.constant(REF)
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
      .array(fc.constantFrom('{', '}', '"', '\n', '{"', '":', 'type', 'data', 'timestamp', '[', '\0', '\r\n'), {
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
  const data = fc.dictionary(
    fc.constantFrom(
      ...['content', 'source', 'toolRequests', 'toolCallId', 'toolName', 'result', 'error', 'success', 'usage', 'kind'],
      ...['modelMetrics', 'context', 'agentName', 'parentId', 'toolTelemetry', 'summaryContent', 'newModel', 'message'],
    ),
    fc.oneof(
      value,
      fc.constantFrom('task', 'x\0y', '\ud800', [{ toolCallId: 'c', name: 'task', arguments: { prompt: 'p' } }]),
      fc.constant({ restrictedProperties: { query: "INSERT INTO todos VALUES ('a'", agent_id: 'a' } }),
    ),
  )
  const type = fc.constantFrom(
    ...['user.message', 'assistant.message', 'tool.execution_complete', 'tool.user_requested', 'subagent.started'],
    ...['subagent.completed', 'session.start', 'session.usage_record', 'session.shutdown', 'system.notification'],
    ...['session.compaction_complete', 'session.error', 'abort', 'constructor', 'odd'],
  )
  const agentId = fc.option(fc.constantFrom('a-1', '\0', ''), { nil: undefined })
  fc.assert(
    fc.property(ref, type, data, agentId, (place, name, fields, agent) => {
      const one = JSON.stringify({ type: name, data: fields, timestamp: new Date(AT).toISOString(), agentId: agent })
      const bytes = bytesOf([one])
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

test('half a line, before which and onto which others stand, costs no good line', () => {
  const said = [
    line(AT + 1, 'user.message', { content: 'One' }),
    line(AT + 2, 'abort', { reason: 'user_initiated' }),
    line(AT + 3, 'assistant.message', { content: 'Two', toolRequests: [] }),
  ]
  const good = uuidsIn(parse({ ref: REF, bytes: bytesOf(said) }))
  fc.assert(
    fc.property(
      fc.constantFrom(...LINES),
      fc.double({ min: 0.02, max: 0.98, noNaN: true }),
      fc.nat(2),
      (torn, part, at) => {
        const bytes = Buffer.from(torn)
        const half = bytes.subarray(0, Math.max(1, Math.floor(part * bytes.length)))
        const parts = said.map((one, n) => Buffer.concat([n === at ? half : Buffer.alloc(0), Buffer.from(`${one}\n`)]))
        const parsed = parse({ ref: REF, bytes: Buffer.concat(parts) })
        expect(uuidsIn(parsed)).toEqual(good)
        expect(parsed.malformed).toHaveLength(1)
      },
    ),
    { numRuns: 500 },
  )
})

test('doubled lines of two processes that write at once are the same events', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(LINES, { minLength: 1, maxLength: 12 }), (lines) => {
      const known = (all: readonly string[]) =>
        new Set(all.flatMap((one) => uuidsIn(parse({ ref: REF, bytes: bytesOf([one]) }))))
      const doubled = parse({ ref: REF, bytes: bytesOf([...lines, ...lines]) })
      expect(new Set(uuidsIn(doubled))).toEqual(known(lines))
    }),
    { numRuns: 300 },
  )
})

test('a giant line is read, and shown as far as fits', async () => {
  const giant = Buffer.from(line(AT, 'user.message', { content: 'x'.repeat(20_000_000) }))
  const parsed = parse({ ref: REF, bytes: Buffer.concat([giant, Buffer.from('\n')]) })
  expect(pick(parsed.observations, 'event')).toMatchObject([{ isCut: true, length: giant.length }])
  expect((await copilotHarness.words.contentOf(giant)).isCut).toBe(true)
})

test('whatever a line is, it can be shown', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.constantFrom(...LINES), fc.json(), fc.string()), async (line) => {
      const bytes = Buffer.from(line)
      expect((await copilotHarness.words.contentOf(bytes)).blocks.length).toBeGreaterThan(0)
      expect((await copilotHarness.words.textOf(bytes)) ?? '').toBeString()
    }),
    { numRuns: 500 },
  )
})
