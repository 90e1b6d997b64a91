import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import fc from 'fast-check'
import type { JournalKind, JournalRef } from '../../src/domain/harness/harness'
import { type Observation, SEARCH_LIMIT, TEXT_LIMIT } from '../../src/domain/record/observation'
import { claudeCode } from '../../src/harness/claude-code'
import { FIXTURES, pick } from './scenario'

const SESSION = '310d8f28-62f9-4306-b431-426897570ab2'

function refOf(kind: JournalKind): JournalRef {
  const agentId = kind === 'subagent' || kind === 'subagent_meta' ? 'a368847305b78497b' : null
  const sessionId = kind === 'stream' || kind === 'hooks' ? null : SESSION
  return { agent: 'claude-code', kind, path: '/home/user/.claude/projects/-p/x.jsonl', sessionId, subagentId: agentId }
}

const LINE_KINDS = ['transcript', 'subagent', 'stream'] as const
type LineKind = (typeof LINE_KINDS)[number]

/** 2.0.30 prints an empty object where a session is missing: nothing marks it when it is glued to something. */
const isRecorded = (line: string): boolean => line !== '' && line !== '{}'

/** Lines of every recording, by what they are to the record. */
const LINES: Record<LineKind, string[]> = { transcript: [], subagent: [], stream: [] }
for (const path of new Glob('{transcripts,stream}/**/*.jsonl').scanSync(FIXTURES)) {
  const kind = path.startsWith('stream') ? 'stream' : path.includes('agent-') ? 'subagent' : 'transcript'
  LINES[kind].push(...readFileSync(join(FIXTURES, path), 'utf8').split('\n').filter(isRecorded))
}
const PAYLOADS: unknown[] = [...new Glob('hooks/**/*.json').scanSync(FIXTURES)].map((path) =>
  JSON.parse(readFileSync(join(FIXTURES, path), 'utf8')),
)

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const parse = (kind: LineKind, bytes: Uint8Array, offset = 0) =>
  claudeCode.parseLines(bytes, { ref: refOf(kind), offset })

const lineKind = fc.constantFrom(...LINE_KINDS)
const recordedLine = (kind: LineKind) => fc.constantFrom(...LINES[kind])
/** What holds for every answer of the line parser, whatever it was given. */
function checkAnswer(bytes: Uint8Array, offset: number, parsed: ReturnType<typeof parse>): void {
  expect(parsed.consumed).toBe(bytes.lastIndexOf(10) + 1)
  const places = [
    ...parsed.malformed,
    ...pick(parsed.observations, 'event').map((event) => ({ offset: event.offset, length: event.length, reason: '' })),
  ].sort((a, b) => a.offset - b.offset)
  let end = offset
  for (const place of places) {
    expect(place.offset).toBeGreaterThanOrEqual(end)
    expect(place.length).toBeGreaterThan(0)
    end = place.offset + place.length
    expect(place.reason).not.toStartWith('not readable')
  }
  expect(end).toBeLessThanOrEqual(offset + parsed.consumed)
  for (const event of pick(parsed.observations, 'event')) {
    const raw = bytes.subarray(event.offset - offset, event.offset - offset + event.length)
    const record: unknown = JSON.parse(new TextDecoder().decode(raw))
    expect(String((record as { uuid: unknown }).uuid).toLowerCase()).toBe(event.uuid)
  }
  checkTexts(parsed.observations)
}

function checkTexts(observations: Observation[]): void {
  for (const event of pick(observations, 'event')) {
    expect(event.text?.length ?? 0).toBeLessThanOrEqual(TEXT_LIMIT)
    expect(event.searchText?.length ?? 0).toBeLessThanOrEqual(SEARCH_LIMIT)
  }
  for (const text of stringsIn(observations)) {
    expect(text.isWellFormed()).toBe(true)
    expect(text.includes('\0')).toBe(false)
  }
}

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

const RUNS = { numRuns: 2_000 }

test('a record glued onto half a line is found again, the half is kept as broken, lines around them are untouched', () => {
  fc.assert(
    fc.property(
      lineKind.chain((kind) => fc.tuple(fc.constant(kind), recordedLine(kind), recordedLine(kind), recordedLine(kind))),
      fc.double({ min: 0.02, max: 0.98, noNaN: true }),
      ([kind, before, torn, after], part) => {
        const tornBytes = bytesOf(torn)
        const half = tornBytes.subarray(0, Math.max(1, Math.floor(part * tornBytes.length)))
        const head = bytesOf(`${before}\n`)
        const tail = bytesOf(`${after}\n${before}\n`)
        const bytes = new Uint8Array([...head, ...half, ...tail])
        const parsed = parse(kind, bytes)
        expect(parsed.malformed.map(({ offset, length }) => ({ offset, length }))).toEqual([
          { offset: head.length, length: half.length },
        ])
        const expected = [
          ...parse(kind, head).observations,
          ...parse(kind, tail, head.length + half.length).observations,
        ]
        expect(parsed.observations).toEqual(expected)
      },
    ),
    RUNS,
  )
})

test('a broken byte costs at most its own line', () => {
  fc.assert(
    fc.property(
      lineKind.chain((kind) =>
        fc.tuple(fc.constant(kind), fc.array(recordedLine(kind), { minLength: 3, maxLength: 3 })),
      ),
      fc.nat(),
      fc.uint8Array({ minLength: 1, maxLength: 4 }),
      ([kind, lines], at, noise) => {
        const [before = '', middle = '', after = ''] = lines
        const broken = bytesOf(middle)
        for (const [i, byte] of noise.entries()) {
          const place = (at + i) % broken.length
          broken[place] = byte === 10 ? 11 : byte
        }
        const head = bytesOf(`${before}\n`)
        const tail = bytesOf(`\n${after}\n`)
        const bytes = new Uint8Array([...head, ...broken, ...tail])
        const parsed = parse(kind, bytes)
        checkAnswer(bytes, 0, parsed)
        const kept = [...parse(kind, head).observations]
        expect(parsed.observations.slice(0, kept.length)).toEqual(kept)
        const last = parse(kind, tail.subarray(1), head.length + broken.length + 1).observations
        expect(parsed.observations.slice(-last.length)).toEqual(last)
      },
    ),
    RUNS,
  )
})

const words = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    '\ud800',
    '\0',
    '<task-notification><task-id>a1b2c3d4</task-id><status>completed</status>',
    'x'.repeat(9_000),
    '2026-11-20T10:25:30.123Z',
    'agentId: a1b2c3d (use SendMessage',
    'tool_result',
    'tool_use',
    'Agent',
    'TaskUpdate',
    'TodoWrite',
    '__proto__',
    'completed',
    SESSION,
  ),
)
const anyJson = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    words,
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    tie('list'),
    tie('record'),
  ),
  list: fc.array(tie('value'), { maxLength: 4 }),
  record: fc.dictionary(
    fc.oneof(words, fc.constantFrom('type', 'content', 'id', 'text', 'message', 'agentId', 'status')),
    tie('value'),
    {
      maxKeys: 5,
    },
  ),
})).value

/** Puts `value` somewhere into a copy of `record`, at a place chosen by `path`. */
function withValueAt(record: unknown, path: number[], value: unknown): unknown {
  const copy = structuredClone(record) as Record<string, unknown>
  let node: Record<string, unknown> = copy
  for (const step of path) {
    const keys = Object.keys(node)
    const key = keys[step % Math.max(1, keys.length)]
    if (key === undefined) break
    const next = node[key]
    if (step === path.at(-1) || typeof next !== 'object' || next === null) {
      node[key] = value
      break
    }
    node = next as Record<string, unknown>
  }
  return copy
}

const path = fc.array(fc.nat(40), { minLength: 1, maxLength: 6 })

describe('values of a wrong shape anywhere', () => {
  test('in lines: nothing is thrown, no line is unreadable, texts stay in their limits', () => {
    fc.assert(
      fc.property(
        lineKind.chain((kind) => fc.tuple(fc.constant(kind), recordedLine(kind))),
        path,
        anyJson,
        ([kind, line], steps, value) => {
          const bytes = bytesOf(`${JSON.stringify(withValueAt(JSON.parse(line), steps, value))}\n`)
          checkAnswer(bytes, 0, parse(kind, bytes))
        },
      ),
      { numRuns: 6_000 },
    )
  })

  test('in hook payloads: nothing is thrown', () => {
    fc.assert(
      fc.property(fc.constantFrom(...PAYLOADS), path, anyJson, (payload, steps, value) => {
        const changed = withValueAt(payload, steps, value)
        checkTexts(claudeCode.parseHook(changed, 1_795_170_332_452)?.observations ?? [])
        claudeCode.parseHook(value, 0)
      }),
      { numRuns: 4_000 },
    )
  })

  test('in meta and task files, and any bytes instead of them: nothing is thrown', () => {
    const kinds = fc.constantFrom('subagent_meta', 'tasks', 'transcript', 'hooks') satisfies fc.Arbitrary<JournalKind>
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 100 }),
      anyJson.map((value) => bytesOf(JSON.stringify(value))),
      fc.tuple(path, anyJson).map(([steps, value]) =>
        bytesOf(
          JSON.stringify(
            withValueAt(
              {
                agentType: 'x',
                toolUseId: 't',
                spawnDepth: 1,
                id: '1',
                subject: 's',
                status: 'pending',
                blockedBy: [],
              },
              steps,
              value,
            ),
          ),
        ),
      ),
    )
    fc.assert(
      fc.property(kinds, content, (kind, bytes) => {
        checkTexts(claudeCode.parseDocument(bytes, { ref: refOf(kind), offset: 0 }) ?? [])
      }),
      RUNS,
    )
  })

  test('in paths: nothing is thrown, and no name with a control character or over 200 bytes is accepted', () => {
    const part = fc.oneof(
      words,
      fc.constantFrom(
        'projects',
        'subagents',
        'tasks',
        'todos',
        '..',
        SESSION,
        `${SESSION}.jsonl`,
        'agent-a1.jsonl',
        'agent-a1.meta.json',
        '1.json',
      ),
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), fc.uint8Array({ maxLength: 60 }), (parts, head) => {
        const ref = claudeCode.classify(`/${parts.join('/')}`, head)
        for (const id of [ref?.sessionId, ref?.subagentId]) {
          if (id === null || id === undefined) continue
          expect(Buffer.byteLength(id)).toBeLessThanOrEqual(200)
          // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
          expect(id).not.toMatch(/[/\\\u0000-\u001f]/)
        }
      }),
      RUNS,
    )
  })
})
