/** What holds of the files of every agent CLI whatever their bytes are: damaged, doubled, mixed and hostile ones. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import fc from 'fast-check'
import { type Harness, isDocument, type JournalRef } from '../../src/domain/harness/harness'
import { CARRY_LIMIT, type ParsedLines, SEARCH_LIMIT, TEXT_LIMIT } from '../../src/domain/record/observation'
import { harnesses } from '../../src/harness/registry'
import { pick } from './scenario'
import { layOut } from './stories'

/** A line of more bytes than are read. */
const GIANT = 20_000_000

interface File {
  ref: JournalRef
  lines: string[]
}

const bytesOf = (lines: readonly string[]): Buffer => Buffer.from(lines.map((one) => `${one}\n`).join(''))

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** Places lie within the bytes, texts may be stored. */
function check(bytes: Uint8Array, offset: number, parsed: ParsedLines): void {
  const problems: unknown[] = []
  const hold = (isSo: boolean, what: unknown) => isSo || problems.push(what)
  hold(parsed.consumed === bytes.lastIndexOf(10) + 1, parsed.consumed)
  hold((parsed.carry?.length ?? 0) <= CARRY_LIMIT, 'carry')
  for (const { reason } of parsed.malformed) hold(!reason.startsWith('not readable'), reason)
  const events = pick(parsed.observations, 'event')
  for (const { offset: at, length } of [...parsed.malformed, ...events])
    hold(at >= offset && length > 0 && at + length <= offset + parsed.consumed, { at, length })
  for (const { text, searchText } of events)
    hold((text?.length ?? 0) <= TEXT_LIMIT && (searchText?.length ?? 0) <= SEARCH_LIMIT, 'text too long')
  for (const text of stringsIn(parsed.observations)) hold(text.isWellFormed() && !text.includes('\0'), text)
  expect(problems).toEqual([])
}

/** The places of a JSON value in which another value may stand. */
function placesIn(value: unknown): { holder: Record<string, unknown>; key: string }[] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as Record<string, unknown>
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesIn(holder[key])])
}

const uuidsIn = (parsed: ParsedLines): string[] => pick(parsed.observations, 'event').map(({ uuid }) => uuid)

for (const harness of harnesses())
  describe(harness.name, () => {
    let home: string
    let reader: Harness
    let files: File[]
    let documents: JournalRef[]
    let all: string[]
    /** Values of the files: what is right in one place, and wrong in others. */
    let words: string[]
    beforeAll(async () => {
      home = mkdtempSync('/tmp/ld-')
      reader = await harness.read()
      const refs = await layOut(harness, reader, home)
      documents = refs.filter(isDocument)
      files = refs
        .filter((ref) => !isDocument(ref))
        .map((ref) => ({ ref, lines: readFileSync(ref.path, 'utf8').trimEnd().split('\n') }))
      all = files.flatMap(({ lines }) => lines)
      words = [...new Set(all.slice(0, 100).flatMap((line) => stringsIn(JSON.parse(line))))].filter(
        ({ length }) => length < 40,
      )
    })
    afterAll(() => rmSync(home, { recursive: true, force: true }))

    const parse = (ref: JournalRef, bytes: Uint8Array, offset = 0, carry: string | null = null) =>
      reader.parseLines(bytes, { ref, offset, carry })
    const anyFile = fc.nat().map((n) => files[n % files.length] ?? { ref: {} as JournalRef, lines: [] })
    const anyRef = anyFile.map(({ ref }) => ref)
    const anyLine = fc.nat().map((n) => all[n % all.length] ?? '')
    const anyLines = fc.array(anyLine, { minLength: 1, maxLength: 12 })
    const anyWord = fc.nat().map((n) => words[n % words.length] ?? '')
    const share = fc.double({ min: 0, max: 1, noNaN: true })

    test('any bytes give an answer with exact places, and nothing is thrown', async () => {
      const signs = ['{', '}', '"', '\n', '{"', '":', 'type', 'id', '[', ']', ',', '\\', '\0', '\r\n', ' ']
      const noise = fc.oneof(
        fc.uint8Array({ maxLength: 400 }),
        fc
          .array(fc.oneof(fc.constantFrom(...signs), anyWord), { maxLength: 80 })
          .map((parts) => Buffer.from(parts.join(''))),
      )
      const { textOf, contentOf } = harness.words
      await fc.assert(
        fc.asyncProperty(anyRef, noise, fc.nat(1e9), fc.option(fc.string()), async (ref, bytes, offset, carry) => {
          check(bytes, offset, parse(ref, bytes, offset, carry))
          for (const document of documents.slice(0, 3)) reader.parseDocument(bytes, { ref: document, offset: 0 })
          expect((await textOf(bytes)) ?? '').toBeString()
          expect((await contentOf(bytes)).blocks).toBeArray()
        }),
        { numRuns: 500 },
      )
    })

    test('values of any shape, in any place, give an answer to the record and to a person', async () => {
      const odd = fc.oneof(
        fc.jsonValue({ maxDepth: 2 }),
        anyWord,
        fc.constantFrom<unknown>('x\0y', '\ud800', -1, 1e300, '2026-01-01T00:00:00Z', '__proto__'),
      )
      await fc.assert(
        fc.asyncProperty(anyRef, anyLine, fc.nat(), odd, async (ref, line, at, value) => {
          const record: unknown = JSON.parse(line)
          const places = placesIn(record)
          const place = places[at % places.length]
          if (place !== undefined) place.holder[place.key] = value
          const changed = JSON.stringify(record)
          check(bytesOf([changed]), 0, parse(ref, bytesOf([changed])))
          expect((await harness.words.contentOf(Buffer.from(changed))).blocks).toBeArray()
          expect((await harness.words.textOf(Buffer.from(changed))) ?? '').toBeString()
        }),
        { numRuns: 1_000 },
      )
    })

    test('no text that a database refuses reaches the record, whatever place of a line it stands in', () => {
      for (const { ref, lines } of files)
        for (const line of lines)
          for (const [at] of placesIn(JSON.parse(line)).entries())
            for (const odd of ['x\0\ud800', ['x\0\ud800']]) {
              const record: unknown = JSON.parse(line)
              const place = placesIn(record)[at]
              if (place !== undefined) place.holder[place.key] = odd
              const bytes = bytesOf([JSON.stringify(record)])
              check(bytes, 0, parse(ref, bytes))
            }
    })

    test('files that are cut, doubled, shuffled or broken give an answer', () => {
      const damage = fc.constantFrom<(bytes: Buffer, at: number, other: number) => Buffer>(
        (bytes, at) => bytes.subarray(0, at),
        (bytes, at) => Buffer.concat([bytes, bytes.subarray(at)]),
        (bytes, at) => Buffer.concat([bytes.subarray(at), bytes.subarray(0, at), Buffer.from('\n')]),
        (bytes, at, other) => Buffer.from(bytes).fill(0, Math.min(at, other), Math.max(at, other)),
        (bytes, at) => Buffer.from(bytes).fill(0xff, at, Math.min(at + 3, bytes.length)),
        (bytes, at, other) =>
          Buffer.concat([bytes.subarray(0, Math.min(at, other)), bytes.subarray(Math.max(at, other))]),
      )
      fc.assert(
        fc.property(anyRef, anyLines, damage, share, share, (ref, lines, damaged, at, other) => {
          const whole = bytesOf(lines)
          const bytes = damaged(whole, Math.floor(at * whole.length), Math.floor(other * whole.length))
          check(bytes, 7, parse(ref, bytes, 7))
        }),
        { numRuns: 300 },
      )
      for (const ref of documents) {
        const whole = readFileSync(ref.path)
        fc.assert(
          fc.property(damage, share, share, (damaged, at, other) => {
            const bytes = damaged(whole, Math.floor(at * whole.length), Math.floor(other * whole.length))
            for (const text of stringsIn(reader.parseDocument(bytes, { ref, offset: 0 }) ?? []))
              expect(text.isWellFormed() && !text.includes('\0')).toBe(true)
          }),
          { numRuns: 20 },
        )
      }
    })

    test('read in two parts, cut anywhere, a file says the same, and half a line waits for its end', () => {
      fc.assert(
        fc.property(anyRef, anyLines, share, fc.nat(1e9), (ref, lines, part, offset) => {
          const whole = bytesOf(lines)
          const first = parse(ref, whole.subarray(0, Math.floor(part * whole.length)), offset)
          const second = parse(ref, whole.subarray(first.consumed), offset + first.consumed, first.carry ?? null)
          const together = parse(ref, whole, offset)
          expect([...first.malformed, ...second.malformed]).toEqual(together.malformed)
          expect([...first.observations, ...second.observations]).toEqual(together.observations)
          // A later part that says nothing keeps what it was given.
          expect(second.carry ?? first.carry ?? null).toEqual(together.carry ?? null)
        }),
        { numRuns: 300 },
      )
    })

    test('half a line, onto which others are glued, costs no good line', () => {
      fc.assert(
        fc.property(anyFile, anyLines, fc.double({ min: 0.05, max: 0.95, noNaN: true }), ({ ref }, lines, part) => {
          const torn = Buffer.from(lines[0] ?? '')
          const half = torn.subarray(0, Math.max(1, Math.floor(part * torn.length)))
          const parsed = parse(ref, Buffer.concat([half, bytesOf(lines)]))
          const read = uuidsIn(parsed)
          const good = uuidsIn(parse(ref, bytesOf(lines)))
          expect(good.filter((uuid) => !read.includes(uuid))).toEqual([])
          // Gemini writes several messages in one line: those that stand whole in the half may be read.
          expect(read.filter((uuid) => !good.includes(uuid))).toEqual([])
          expect(parsed.malformed).toHaveLength(1)
        }),
        { numRuns: 300 },
      )
    })

    test('lines that stand twice are the same events', () => {
      for (const { ref, lines } of files) {
        // Codex before 0.39: its lines have neither time nor ID, and a person may say the same twice.
        if (lines.some((line) => line.startsWith('{"record_type"'))) continue
        expect(new Set(uuidsIn(parse(ref, bytesOf([...lines, ...lines]))))).toEqual(
          new Set(uuidsIn(parse(ref, bytesOf(lines)))),
        )
      }
    })

    test('a giant line is read, and shown as far as fits', async () => {
      const prompt = all.flatMap((line) => {
        const [event] = pick(parse(files[0]?.ref ?? ({} as JournalRef), bytesOf([line])).observations, 'event')
        const text = event?.type === 'prompt' && event.text !== null ? JSON.stringify(event.text).slice(1, -1) : ''
        return text.length > 3 && line.includes(`"${text}"`) ? [{ line, text }] : []
      })[0]
      if (prompt === undefined) throw new Error(`no prompt of ${harness.name} stands whole in one line`)
      const giant = Buffer.from(prompt.line.replaceAll(`"${prompt.text}"`, () => `"${'x'.repeat(GIANT)}"`))
      const bytes = Buffer.concat([giant, Buffer.from('\n')])
      const [event] = pick(parse(files[0]?.ref ?? ({} as JournalRef), bytes).observations, 'event')
      expect(event).toMatchObject({ isCut: true })
      expect(event?.length).toBeGreaterThan(GIANT)
      expect((await harness.words.contentOf(giant)).isCut).toBe(true)
    })

    test('the place of each event holds the words that the event shows', async () => {
      for (const { ref, lines } of files) {
        const bytes = bytesOf(lines)
        for (const event of pick(parse(ref, bytes).observations, 'event')) {
          if (event.type !== 'prompt' && event.type !== 'text') continue
          const part = bytes.subarray(event.offset, event.offset + event.length)
          const shown = (await harness.words.textOf(part)) ?? ''
          for (const line of (event.text ?? '').split('\n').slice(0, 3)) expect(shown).toContain(line)
        }
      }
    })
  })
