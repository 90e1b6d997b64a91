/** What holds of journals of rows whatever their bytes are: damaged, doubled, mixed and hostile ones. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import fc from 'fast-check'
import type { JournalRef } from '../../../src/domain/harness/harness'
import { CARRY_LIMIT, type ParsedLines, SEARCH_LIMIT, TEXT_LIMIT } from '../../../src/domain/record/observation'
import { opencode } from '../../../src/harness/opencode'
import { opencodeHarness } from '../../../src/harness/opencode/agent-harness'
import { importableDocument } from '../../../src/harness/opencode/rows/importable'
import { pick } from '../scenario'
import { journalsOfStory, STORIES } from './database'

let home: string
let lines: string[]
beforeAll(async () => {
  home = mkdtempSync('/tmp/ld-')
  const journals = (await Promise.all(STORIES.map((story) => journalsOfStory(home, story)))).flat()
  lines = journals.flatMap(({ bytes }) => bytes.toString().trimEnd().split('\n'))
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

const place = (session: string, own: string): JournalRef =>
  opencode.classify(`/home/user/.lodeline/rows/opencode/x/rows/${session}/${own}.jsonl`) ?? ('none' as never)
const ref = fc.constantFrom(place('ses_a', 'ses_a'), place('ses_a', 'ses_b'))

function checkAnswer(bytes: Uint8Array, offset: number, parsed: ParsedLines): void {
  expect(parsed.consumed).toBe(bytes.lastIndexOf(10) + 1)
  expect(parsed.carry?.length ?? 0).toBeLessThanOrEqual(CARRY_LIMIT)
  for (const { offset: at, length, reason } of parsed.malformed) {
    expect(at).toBeGreaterThanOrEqual(offset)
    expect(at + length).toBeLessThanOrEqual(offset + parsed.consumed)
    expect(reason).not.toStartWith('not readable')
  }
  for (const { text, searchText, offset: at, length } of pick(parsed.observations, 'event')) {
    expect(at).toBeGreaterThanOrEqual(offset)
    expect(at + length).toBeLessThanOrEqual(offset + parsed.consumed)
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
  const words = ['{', '}', '"', '\n', '{"table":"', 'part', '"row":', '"data":', '[', '\0', '\r\n', '"version":"']
  const noise = fc.oneof(
    fc.uint8Array({ maxLength: 400 }),
    fc.array(fc.constantFrom(...words), { maxLength: 80 }).map((parts) => Buffer.from(parts.join(''))),
  )
  fc.assert(
    fc.property(ref, noise, fc.nat(1e9), fc.option(fc.string()), (journal, bytes, offset, carry) => {
      checkAnswer(bytes, offset, opencode.parseLines(bytes, { ref: journal, offset, carry }))
      importableDocument(bytes)
    }),
    { numRuns: 2_000 },
  )
})

test('fields of any shape give an answer', () => {
  const value = fc.jsonValue({ maxDepth: 3 })
  const field = fc.oneof(
    value,
    fc.constantFrom('text', 'tool', 'assistant', 'user', 'completed', 'error', 'task', '\0\ud800'),
  )
  const data = fc.record(
    {
      ...{
        type: field,
        role: field,
        text: field,
        tool: field,
        callID: field,
        tokens: value,
        time: value,
        error: value,
      },
      state: fc.oneof(
        value,
        fc.record(
          { status: field, input: value, output: field, metadata: value, time: value, error: field },
          { requiredKeys: [] },
        ),
      ),
    },
    { requiredKeys: [] },
  )
  const line = fc.record(
    {
      table: fc.oneof(fc.constantFrom('session', 'message', 'part', 'todo'), field),
      ...{ id: fc.oneof(fc.constant('prt_1'), field), version: field, born: value },
      of: fc.oneof(value, fc.record({ role: field, model: field, created: value, isSummary: value })),
      row: fc.oneof(value, fc.record({ id: field, title: field, directory: field, time_created: value, data })),
    },
    { requiredKeys: ['table', 'id'] },
  )
  fc.assert(
    fc.property(ref, fc.array(line, { maxLength: 5 }), (journal, records) => {
      const bytes = Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''))
      checkAnswer(bytes, 0, opencode.parseLines(bytes, { ref: journal, offset: 0 }))
      importableDocument(bytes)
    }),
    { numRuns: 2_000 },
  )
})

test('lines that are cut, doubled or mixed give an answer, to a person too', async () => {
  await fc.assert(
    fc.asyncProperty(
      ref,
      fc.array(fc.nat(), { minLength: 1, maxLength: 8 }),
      fc.nat(),
      async (journal, picked, cut) => {
        const text = picked.map((n) => lines[n % lines.length] ?? '').join('\n')
        const bytes = Buffer.from(`${text.slice(0, text.length - (cut % text.length))}\n`)
        checkAnswer(bytes, 0, opencode.parseLines(bytes, { ref: journal, offset: 0 }))
        await opencodeHarness.words.textOf(bytes)
        await opencodeHarness.words.contentOf(bytes)
      },
    ),
    { numRuns: 300 },
  )
})

test('cut into pieces anywhere, a journal says the same', () => {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
  const journal = place('ses_a', 'ses_a')
  const whole = opencode.parseLines(bytes, { ref: journal, offset: 0 })
  fc.assert(
    fc.property(fc.nat(bytes.length), (cut) => {
      const first = opencode.parseLines(bytes.subarray(0, cut), { ref: journal, offset: 0 })
      const rest = { ref: journal, offset: first.consumed, carry: first.carry ?? null }
      const second = opencode.parseLines(bytes.subarray(first.consumed), rest)
      expect([...first.observations, ...second.observations]).toEqual(whole.observations)
    }),
    { numRuns: 50 },
  )
})
