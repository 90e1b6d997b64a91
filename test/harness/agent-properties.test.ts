/** What holds of files of Gemini CLI and Qwen Code whatever their bytes are: damaged, doubled, mixed and hostile ones. */
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { ParsedLines } from '../../src/domain/record/observation'
import { CARRY_LIMIT, SEARCH_LIMIT, TEXT_LIMIT } from '../../src/domain/record/observation'
import { gemini } from '../../src/harness/gemini'
import { geminiHarness } from '../../src/harness/gemini/agent-harness'
import { qwen } from '../../src/harness/qwen'
import { qwenHarness } from '../../src/harness/qwen/agent-harness'
import { filesOf } from './agent-fixtures'
import { pick } from './scenario'

/** For machines that do much else. */
const LIMIT_MS = 60_000

const bytesOf = (lines: readonly string[]): Buffer => Buffer.from(lines.map((one) => `${one}\n`).join(''))

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** Places lie within the bytes, texts may be stored. */
function check(bytes: Uint8Array, offset: number, parsed: ParsedLines): void {
  expect(parsed.consumed).toBe(bytes.lastIndexOf(10) + 1)
  expect(parsed.carry?.length ?? 0).toBeLessThanOrEqual(CARRY_LIMIT)
  for (const { reason } of parsed.malformed) expect(reason).not.toStartWith('not readable')
  for (const place of [...parsed.malformed, ...pick(parsed.observations, 'event')]) {
    expect(place.offset).toBeGreaterThanOrEqual(offset)
    expect(place.length).toBeGreaterThan(0)
    expect(place.offset + place.length).toBeLessThanOrEqual(offset + parsed.consumed)
  }
  for (const { text, searchText } of pick(parsed.observations, 'event')) {
    expect(text?.length ?? 0).toBeLessThanOrEqual(TEXT_LIMIT)
    expect(searchText?.length ?? 0).toBeLessThanOrEqual(SEARCH_LIMIT)
  }
  for (const text of stringsIn(parsed.observations)) {
    expect(text.isWellFormed()).toBe(true)
    expect(text.includes('\0')).toBe(false)
  }
}

for (const { harness, port } of [
  { harness: gemini, port: geminiHarness },
  { harness: qwen, port: qwenHarness },
]) {
  describe(harness.agent, () => {
    const files = filesOf(harness).filter(({ ref }) => ref.path.endsWith('.jsonl'))
    const lines = files.flatMap(({ bytes }) => bytes.toString().trimEnd().split('\n'))
    const ref = fc.constantFrom(...files.map((file) => file.ref))
    const someLines = fc.array(fc.constantFrom(...lines), { minLength: 1, maxLength: 12 })

    test(
      'any bytes give an answer with exact places, and nothing is thrown',
      async () => {
        const words = ['{', '}', '"', '\n', '{"', '":', 'id', 'type', '$set', 'messages', '[', ']', ',', '\\', '\0']
        const noise = fc.oneof(
          fc.uint8Array({ maxLength: 400 }),
          fc.array(fc.constantFrom(...words), { maxLength: 80 }).map((parts) => Buffer.from(parts.join(''))),
        )
        const { textOf, contentOf } = port.words
        await fc.assert(
          fc.asyncProperty(ref, noise, fc.nat(1e9), fc.option(fc.string()), async (place, bytes, offset, carry) => {
            check(bytes, offset, harness.parseLines(bytes, { ref: place, offset, carry }))
            harness.parseDocument(bytes, { ref: place, offset })
            await Promise.all([textOf(bytes), contentOf(bytes)])
          }),
          { numRuns: 1_000 },
        )
      },
      LIMIT_MS,
    )

    test(
      'fields of any shape give an answer',
      () => {
        const value = fc.jsonValue({ maxDepth: 3 })
        const odd = fc.constantFrom('user', 'gemini', 'assistant', 'system', 'x\0y', '\ud800', '2026-01-01T00:00:00Z')
        const whole = fc.constantFrom(...lines).chain((line) => {
          const record = JSON.parse(line) as Record<string, unknown>
          const names = Object.keys(record)
          return fc
            .dictionary(fc.constantFrom(...names), fc.oneof(value, odd), { maxKeys: 3 })
            .map((changed) => JSON.stringify({ ...record, ...changed }))
        })
        fc.assert(
          fc.property(ref, whole, (place, line) => {
            const bytes = bytesOf([line])
            check(bytes, 0, harness.parseLines(bytes, { ref: place, offset: 0 }))
          }),
          { numRuns: 2_000 },
        )
      },
      LIMIT_MS,
    )

    test(
      'read in two parts, at any line, a file says the same',
      () => {
        fc.assert(
          fc.property(ref, someLines, fc.nat(12), fc.nat(1e9), (place, some, at, offset) => {
            const whole = bytesOf(some)
            const cut = bytesOf(some.slice(0, at)).length
            const first = harness.parseLines(whole.subarray(0, cut), { ref: place, offset })
            const rest = { ref: place, offset: offset + cut, carry: first.carry ?? null }
            const second = harness.parseLines(whole.subarray(cut), rest)
            const together = harness.parseLines(whole, { ref: place, offset })
            expect([...first.observations, ...second.observations]).toEqual(together.observations)
            expect(second.carry ?? null).toEqual(together.carry ?? null)
          }),
          { numRuns: 500 },
        )
      },
      LIMIT_MS,
    )

    test(
      'half a line, onto which others are glued, costs no good line',
      () => {
        const uuids = (bytes: Buffer, place: (typeof files)[0]['ref']) =>
          pick(harness.parseLines(bytes, { ref: place, offset: 0 }).observations, 'event').map(({ uuid }) => uuid)
        fc.assert(
          fc.property(ref, someLines, fc.double({ min: 0.05, max: 0.95, noNaN: true }), (place, some, part) => {
            const torn = Buffer.from(some[0] ?? '')
            const half = torn.subarray(0, Math.max(1, Math.floor(part * torn.length)))
            const bytes = Buffer.concat([half, bytesOf(some)])
            const good = uuids(bytesOf(some), place)
            expect(uuids(bytes, place)).toEqual(good)
            expect(harness.parseLines(bytes, { ref: place, offset: 0 }).malformed).toHaveLength(1)
          }),
          { numRuns: 300 },
        )
      },
      LIMIT_MS,
    )

    test('the place of each event holds the words that the event shows', async () => {
      for (const { ref: place, bytes } of files)
        for (const event of pick(harness.parseLines(bytes, { ref: place, offset: 0 }).observations, 'event')) {
          if (event.type === 'error' || event.type === 'compaction') continue
          const part = bytes.subarray(event.offset, event.offset + event.length)
          const shown = (await port.words.textOf(part)) ?? ''
          for (const line of (event.text ?? '').split('\n').slice(0, 3)) expect(shown).toContain(line)
        }
    })
  })
}
