import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import {
  currentHookJournal,
  encodeHookLine,
  hookJournalName,
  hookJournalNumber,
  listHookJournals,
  parseHookLine,
  pickHookEnv,
} from './hook-journal'

const ENVELOPE = { at: 1_700_000_000_000, pid: 12, ppid: 11, env: { CLAUDE_PID: '11' }, isCut: false }
const bytes = (text: string) => new TextEncoder().encode(text)

describe('a line of the hook journal', () => {
  test('gives back what was put in, and holds no newline but its own', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, 2, '\r\n\t'), (payload, indent) => {
        const line = encodeHookLine(ENVELOPE, bytes(JSON.stringify(payload, null, indent)))
        expect(line.indexOf(0x0a)).toBe(line.length - 1)
        const read = parseHookLine(line)
        expect(read).toMatchObject({ at: ENVELOPE.at, pid: 12, ppid: 11, env: ENVELOPE.env, isCut: false })
        expect(JSON.stringify(read?.payload)).toBe(JSON.stringify(JSON.parse(JSON.stringify(payload))))
      }),
      { numRuns: 2_000 },
    )
  })

  test('keeps the raw bytes of a valid payload', () => {
    const payload = '{"b":1.0e2,"a":"\\u00e9\\n","b":2}'
    expect(new TextDecoder().decode(encodeHookLine(ENVELOPE, bytes(payload)))).toContain(`"payload":${payload}}\n`)
  })

  test('keeps any other bytes as they were', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), (raw) => {
        const read = parseHookLine(encodeHookLine(ENVELOPE, raw))
        if (read === null) throw new Error('not read back')
        if (read.invalidPayload !== null) expect(Buffer.from(read.invalidPayload).equals(raw)).toBe(true)
        else expect(() => JSON.parse(new TextDecoder().decode(raw))).not.toThrow()
      }),
      { numRuns: 2_000 },
    )
  })

  test.each([
    ['a byte order mark before the JSON', Buffer.concat([Uint8Array.of(0xef, 0xbb, 0xbf), bytes('{}')])],
    ['a newline inside a string', bytes('{"a":"x\ny"}')],
    ['half of an object', bytes('{"a":')],
    ['nesting without end', bytes('['.repeat(500_000))],
  ])('keeps %s as base64', (_name, raw) => {
    const line = encodeHookLine(ENVELOPE, raw)
    expect(line.indexOf(0x0a)).toBe(line.length - 1)
    expect(Buffer.from(parseHookLine(line)?.invalidPayload ?? []).equals(raw)).toBe(true)
  })

  test('says that its payload was cut only when it is not whole', () => {
    const cut = { ...ENVELOPE, isCut: true }
    expect(parseHookLine(encodeHookLine(cut, bytes('{"a":1')))?.isCut).toBe(true)
    expect(parseHookLine(encodeHookLine(cut, bytes('{"a":1}')))?.isCut).toBe(false)
  })

  test('is null for whatever else stands in the file', () => {
    for (const text of ['', '\n', '{}', '[]', 'null', '{"v":1}', '{"v":1,"at":-1,"payload":1}', '{"v":1,"at":1}']) {
      expect(parseHookLine(bytes(text))).toBeNull()
    }
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (raw) => {
        parseHookLine(raw)
      }),
    )
  })

  test('keeps the variables that are worth it and no other', () => {
    const env = {
      CLAUDE_PID: '7',
      CLAUDE_PROJECT_DIR: '',
      ANTHROPIC_API_KEY: 'secret',
      CLAUDE_CODE_SESSION_ID: 'x'.repeat(9_999),
      CLAUDE_CODE_TASK_LIST_ID: 'team',
      LODELINE_ISSUE: 'ld-a1b2',
    }
    const picked = pickHookEnv(env)
    const names = ['CLAUDE_CODE_SESSION_ID', 'CLAUDE_CODE_TASK_LIST_ID', 'CLAUDE_PID', 'LODELINE_ISSUE']
    expect(Object.keys(picked).sort()).toEqual(names)
    expect(picked.CLAUDE_CODE_SESSION_ID).toHaveLength(4_096)
  })
})

describe('the files of the hook journal', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync('/tmp/ld-')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test('are numbered by their names', () => {
    for (const number of [1, 2, 10, 999_999_999]) expect(hookJournalNumber(hookJournalName(number))).toBe(number)
    for (const name of ['hooks-1.jsonl', 'hooks-0.jsonl', 'hooks-02.jsonl', 'hooks.jsonl.bak', 'x', 'hooks-.jsonl']) {
      expect(hookJournalNumber(name)).toBeNull()
    }
  })

  test('are appended to at the highest number', () => {
    expect(currentHookJournal(join(folder, 'missing'))).toBe(join(folder, 'missing', 'hooks.jsonl'))
    expect(currentHookJournal(folder)).toBe(join(folder, 'hooks.jsonl'))
    for (const name of ['hooks.jsonl', 'hooks-2.jsonl', 'hooks-10.jsonl', 'note.txt'])
      writeFileSync(join(folder, name), '')
    mkdirSync(join(folder, 'sub'))
    expect(currentHookJournal(folder)).toBe(join(folder, 'hooks-10.jsonl'))
    expect(listHookJournals(folder).map((file) => file.number)).toEqual([1, 2, 10])
  })
})
