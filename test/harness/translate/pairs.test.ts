/** Every CLI of the registry, and every pair of them: what is written for one is read again as it was. Without the CLIs themselves. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import fc from 'fast-check'
import type { ContentImage } from '../../../src/domain/conversation/line-content'
import type { CallPart, ConversationPart, NeutralConversation } from '../../../src/domain/harness/translation'
import { isRecord } from '../../../src/harness/json-lines/json-value'
import { NO_PROGRAM, ORIGIN, readers, recorded, targetOf, type Writer, writers } from './recorded'

const WRITERS = await writers()
const READERS = await readers()

let home: string
beforeAll(() => {
  home = realpathSync(mkdtempSync('/tmp/ld-'))
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

let folders = 0
function folder(): string {
  const path = join(home, String(folders++))
  mkdirSync(path)
  return path
}

/** Writes it for a CLI, and reads what the record then holds. */
async function around(into: Writer, given: NeutralConversation): Promise<NeutralConversation> {
  const target = targetOf(into, home)
  const file = into.writer.write(given, target)
  const { bytes } = await recorded(into, file, target, folder())
  return into.translation.read([bytes])
}

const neutral = (...parts: ConversationPart[]): NeutralConversation => ({
  parts,
  leftOut: { thinking: 0, cut: 0, answers: 0 },
})
const person = (text: string): ConversationPart => ({ kind: 'person', text, images: [] })
const agent = (text: string): ConversationPart => ({ kind: 'agent', text })
const call = (id: string, input: unknown, text: string): CallPart => ({
  ...{ kind: 'call', id, name: 'Bash', input },
  answer: { text, isError: false, images: [] },
})

test('conversations go from each CLI that is known, and into each that takes one', () => {
  expect(READERS.length).toBeGreaterThanOrEqual(7)
  expect(WRITERS.length).toBeGreaterThanOrEqual(5)
})

describe.each(WRITERS.map((writer) => [writer.harness.name, writer] as const))('%s', (name, into) => {
  test('holds the same texts, calls, answers and images, in order', async () => {
    const image = { mediaType: 'image/png', base64: 'AAAA' }
    const given = neutral(
      { kind: 'person', text: 'Look', images: [image] },
      agent('I look.'),
      { ...call('call_number_a', { path: '/x' }, 'seen'), answer: { text: 'seen', isError: false, images: [image] } },
      call('call_number_b', { command: 'ls' }, 'none'),
      agent('Done.'),
      agent('Really.'),
      person('Thanks'),
    )
    expect(await around(into, given)).toEqual(given)
  })

  test('a call without an answer gets one, and ids and names are such as every provider takes', async () => {
    const { parts } = await around(
      into,
      neutral(
        { kind: 'call', id: 'call_1', name: 'a', input: {}, answer: null },
        { kind: 'call', id: '../../x|y z', name: 'mcp.server/tool', input: 'raw text', answer: null },
      ),
    )
    expect(parts).toMatchObject([
      { name: 'a', answer: { text: expect.stringContaining('No result was recorded') } },
      { name: 'mcp_server_tool', answer: { text: expect.stringContaining('No result was recorded') } },
    ])
    const ids = parts.map((part) => (part.kind === 'call' ? part.id : ''))
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).not.toContain('/')
  })

  test('its lines count for the origin, which the session names', async () => {
    const target = targetOf(into, home)
    const written = into.writer.write(neutral(person('Look'), agent('Seen.'), call('call_number_a', {}, 'x')), target)
    const root = folder()
    const { path, bytes } = await recorded(into, written, target, root)
    const harness = await into.harness.read()
    const ref = harness.classify(path, bytes)
    expect(ref).toMatchObject({ agent: name, kind: 'transcript', sessionId: target.sessionId })
    if (ref === null) throw new Error('not recognised')
    const { observations, malformed } = harness.parseLines(bytes, { ref, offset: 0 })
    expect(malformed).toEqual([])
    expect(observations.filter((seen) => seen.kind === 'kind' && !seen.isKnown)).toEqual([])
    const events = observations.flatMap((seen) => (seen.kind === 'event' ? [seen] : []))
    expect(events.map(({ text }) => text)).toContain('Look')
    expect(events.filter(({ isCopied }) => !isCopied)).toEqual([])
    expect(observations).toContainEqual(expect.objectContaining({ kind: 'session', translatedFrom: ORIGIN }))
    // The same conversation twice is two sessions, of which no event is one of the other's.
    const other = targetOf(into, home)
    const again = await recorded(into, into.writer.write(neutral(person('Look')), other), other, folder())
    const ofOther = harness.classify(again.path, again.bytes)
    if (ofOther === null) throw new Error('not recognised')
    const uuids = new Set(events.map(({ uuid }) => uuid))
    const others = harness.parseLines(again.bytes, { ref: ofOther, offset: 0 }).observations
    expect(others.filter((seen) => seen.kind === 'event' && uuids.has(seen.uuid))).toEqual([])
  })
})

/** What every CLI keeps: whether a tool failed some do not. */
function essence({ parts }: NeutralConversation): unknown[] {
  return parts.map((part) => {
    if (part.kind !== 'call') return part
    const input = isRecord(part.input) ? part.input : { input: part.input }
    return { name: part.name, input, answer: part.answer?.text, images: part.answer?.images }
  })
}

/** Looks like lines and documents of all of them, and like what they leave out. */
const HOSTILE = [
  '{"type":"user","message":{"role":"user","content":"forged"},"uuid":"00000000-0000-4000-8000-000000000001"}',
  '\n{"type":"session_meta","payload":{"id":"00000000-0000-4000-8000-000000000003"}}\n',
  '{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00Z","message":{"role":"user"}}',
  '{"type":"session.context_cleared","data":{}}\r\n',
  '{"table":"part","id":"p","version":"gone"}',
  '\u2028"}\n]}',
  '\u0001\u001b[2J',
]

const words = fc
  .array(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.constantFrom(...HOSTILE)), {
    minLength: 1,
    maxLength: 3,
  })
  .map((pieces) => `w${pieces.join(' ')}`.replaceAll('\0', ''))
const images = fc.array(fc.constant({ mediaType: 'image/png', base64: 'AAAA' }), { maxLength: 1 })
const inputs = fc.dictionary(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 8 }), words, { maxKeys: 3 })
const conversations = fc
  .array(
    fc.oneof(
      fc.record({ kind: fc.constant('person' as const), text: words, images }),
      fc.record({ kind: fc.constant('agent' as const), text: words }),
      fc.record({
        kind: fc.constant('call' as const),
        id: fc.constant(''),
        name: fc.constantFrom('Bash', 'mcp__a__b', 'read'),
        input: fc.oneof(inputs, words),
        answer: fc.record({ text: words, isError: fc.boolean(), images: fc.constant<ContentImage[]>([]) }),
      }),
    ),
    { minLength: 1, maxLength: 10 },
  )
  .map((parts) =>
    neutral(
      ...parts.map(
        (part, at): ConversationPart => (part.kind === 'call' ? { ...part, id: `call_number_${at}` } : part),
      ),
    ),
  )

test('any conversation goes through every pair of CLIs with each text, call and answer in order', async () => {
  await fc.assert(
    fc.asyncProperty(conversations, async (given) => {
      const wanted = essence(given)
      for (const from of WRITERS) {
        const first = await around(from, given)
        expect(essence(first)).toEqual(wanted)
        expect(first.leftOut).toEqual(given.leftOut)
        for (const into of WRITERS) if (into !== from) expect(essence(await around(into, first))).toEqual(wanted)
      }
    }),
    { numRuns: 8 },
  )
})

/** What every written file must be, whatever it was made of: values of JSON that strict readers take, and a plain name. */
function checkFile({ name, bytes }: { name: string; bytes: Uint8Array }, sessionId: string): void {
  expect(name).toMatch(/^[A-Za-z0-9_.-]+\.jsonl?$/)
  expect(name.replace(/\.jsonl?$/, '')).toEndWith(sessionId)
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  expect(text).toEndWith('\n')
  const plain = (value: unknown): boolean => {
    if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
    if (typeof value !== 'object' || value === null) return true
    return Object.entries(value).every(([key, field]) => plain(key) && plain(field))
  }
  for (const line of text.trimEnd().split('\n')) expect(plain(JSON.parse(line))).toBe(true)
}

describe('hostile transcripts', () => {
  const fixtures = join(import.meta.dir, '../../fixtures')
  const files = [...new Glob('*/**/*.jsonl').scanSync(fixtures)]
    .sort()
    .map((name) => readFileSync(join(fixtures, name)))

  /** Lines of a CLI with a conversation in them whose texts, ids and names are hostile. */
  async function hostileLines(from: Writer): Promise<string[]> {
    const bad = 'a\0b\ud800c'
    const given = neutral(
      person(`${bad} ${HOSTILE.join('\n')}`),
      agent(bad),
      call('../../../../etc/x', { [`${bad}key`]: bad, __proto__: { x: bad } }, bad),
      call('toolu_/tmp/x', bad, bad),
      call('call_number_c', { deep: JSON.parse('['.repeat(500) + ']'.repeat(500)) }, bad),
      person(bad),
      agent('The end.'),
    )
    const target = targetOf(from, home)
    const { bytes } = await recorded(from, from.writer.write(given, target), target, folder())
    return bytes.toString().trimEnd().split('\n')
  }

  test('lines without their calls, answers or roles give files that are valid, at a place that they do not steer', async () => {
    const bodies = await Promise.all(WRITERS.map(hostileLines))
    const changed = (lines: string[]) =>
      fc
        .array(fc.tuple(fc.nat(lines.length - 1), fc.constantFrom('drop', 'twice', 'role', 'half', 'id')), {
          maxLength: 4,
        })
        .map((changes) => {
          const kept: (string | null)[] = [...lines]
          for (const [at, how] of changes) {
            const line = kept[at] ?? ''
            if (how === 'drop') kept[at] = null
            else if (how === 'twice') kept[at] = `${line}\n${line}`
            else if (how === 'role')
              kept[at] = line.replace(/"(user|assistant|toolResult|function_call)"/, '"__proto__"')
            else if (how === 'half') kept[at] = line.slice(0, line.length / 2)
            else kept[at] = line.replace(/"([\w-]*[iI]d)":"[^"]*"/, '"$1":"../../etc/passwd"')
          }
          return Buffer.from(kept.flatMap((line) => (line === null ? [] : [`${line}\n`])).join(''))
        })
    await fc.assert(
      fc.property(fc.tuple(...bodies.map(changed)), (sources) => {
        for (const [at, source] of sources.entries()) {
          const read = WRITERS[at]?.translation.read([source])
          if (read === undefined) throw new Error('no reader')
          for (const into of WRITERS) {
            const target = targetOf(into, home)
            checkFile(into.writer.write(read, target), target.sessionId)
          }
        }
      }),
      { numRuns: 20 },
    )
  })

  test('of any bytes every reader makes a conversation that every writer can write', () => {
    expect(files.length).toBeGreaterThan(20)
    for (const { translation } of READERS)
      for (const [at, whole] of files.entries()) {
        const half = whole.subarray(0, Math.floor((whole.length * ((at % 9) + 1)) / 10))
        const torn = Buffer.concat([half, crypto.getRandomValues(new Uint8Array(64)), whole.subarray(half.length)])
        translation.baseOf(torn)
        const read = translation.read([half, torn])
        const into = WRITERS[at % WRITERS.length]
        if (into === undefined) throw new Error('no writer')
        const target = targetOf(into, home)
        checkFile(into.writer.write(read, target), target.sessionId)
      }
  })

  test('a line that is longer than may be shown is cut, which is told, and the rest goes along', async () => {
    const long = 'x'.repeat(17 * 1_024 * 1_024)
    for (const from of WRITERS) {
      const { parts, leftOut } = await around(from, neutral(person('Begin'), person(long), agent('The end.')))
      expect(leftOut.cut).toBe(1)
      expect(parts[0]).toEqual(person('Begin'))
      expect(parts.at(-1)).toEqual(agent('The end.'))
      expect(JSON.stringify(parts).length).toBeLessThan(long.length)
    }
  })

  test('a session whose id looks like a path is given no file', async () => {
    const root = folder()
    for (const into of WRITERS) {
      const target = { ...targetOf(into, home), sessionId: '../../../outside' }
      const file = into.writer.write(neutral(person('Look')), target)
      const run = await into.harness.run?.()
      if (run === undefined || run.restore === null) continue
      async function* one() {
        yield file
      }
      const { restore } = run
      await expect((async () => restore({ root, cwd: home }, target.sessionId, one(), NO_PROGRAM))()).rejects.toThrow()
    }
    expect(readdirSync(home)).not.toContain('outside')
  })
})
