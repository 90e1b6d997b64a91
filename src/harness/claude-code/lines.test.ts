import { describe, expect, test } from 'bun:test'
import type { BrokenLine, RecordLine } from '../json-lines/each-line'
import { eachLine } from './lines'

function read(text: string | Uint8Array) {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  const records: RecordLine[] = []
  const broken: BrokenLine[] = []
  const consumed = eachLine(bytes, { onRecord: (line) => records.push(line), onBroken: (line) => broken.push(line) })
  return { records: records.map(({ record }) => record), places: records, broken, consumed }
}

const LINE = '{"type":"user","uuid":"3b44dd67-b0bd-422f-a7bc-91fa09173605"}'
const RECORD = JSON.parse(LINE) as Record<string, unknown>

describe('lines', () => {
  test('empty and blank lines are nothing, line ends of both kinds are taken, a byte order mark is no part of a record', () => {
    const { records, broken, consumed } = read(`\ufeff${LINE}\r\n\n \t\r\n${LINE}\n`)
    expect(records).toEqual([RECORD, RECORD])
    expect(broken).toEqual([])
    expect(consumed).toBe(2 * LINE.length + 3 + 2 + 1 + 4 + 1)
  })

  test('a last line without newline is left for later', () => {
    expect(read(`${LINE}\n${LINE}`)).toMatchObject({ records: [RECORD], consumed: LINE.length + 1 })
    expect(read(LINE).consumed).toBe(0)
  })

  test('a JSON value that is no object is broken', () => {
    expect(read('[1]\n"a"\n12\nnull\ntrue\n').broken.map((line) => line.reason)).toEqual(
      Array(5).fill('not a JSON object'),
    )
  })

  test('invalid UTF-8 becomes U+FFFD in the text, and the line is kept', () => {
    const bytes = new Uint8Array([
      ...new TextEncoder().encode('{"type":"x","a":"'),
      0xff,
      0xc3,
      ...new TextEncoder().encode('"}\n'),
    ])
    expect(read(bytes).records).toEqual([{ type: 'x', a: '\ufffd\ufffd' }])
  })
})

describe('glued lines', () => {
  test('whole records that only lost the newline between them are all kept', () => {
    const { records, broken } = read(`${LINE}${LINE}${LINE}\n`)
    expect(records).toEqual([RECORD, RECORD, RECORD])
    expect(broken).toEqual([])
  })

  test('a record is found behind a half that holds hundreds of objects which could be records', () => {
    const half = `{"type":"user","content":[${'{"type":"user","a":1},'.repeat(500)}`
    const { records, broken } = read(`${half}${LINE}\n`)
    expect(records).toEqual([RECORD])
    expect(broken).toEqual([{ offset: 0, length: half.length, reason: 'half a line before the next record' }])
  })

  test('zeros that a power loss left before a record are broken, the record is kept', () => {
    const { records, broken } = read(`${'\0'.repeat(5_000)}${LINE}\n`)
    expect(records).toEqual([RECORD])
    expect(broken).toEqual([{ offset: 0, length: 5_000, reason: 'half a line before the next record' }])
  })

  test('an object inside a broken line is not taken for a record', () => {
    expect(read('{"type":"user","message":{"content":[{"type":"text","text":"a"}\n').records).toEqual([])
    expect(
      read('{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","input":{"a":1}}\n').records,
    ).toEqual([])
  })
})

describe('hostile lines end, and cost no more than themselves', () => {
  const around = (hostile: string) => {
    const { records, broken } = read(`${LINE}\n${hostile}\n${LINE}\n`)
    expect(records.filter((record) => record.uuid === RECORD.uuid).length).toBeGreaterThanOrEqual(2)
    return { records: records.length, broken: broken.length }
  }

  test('20 MB in one text', () => {
    expect(around(`{"type":"user","message":{"content":"${'x'.repeat(20_000_000)}"}}`)).toEqual({
      records: 3,
      broken: 0,
    })
  })
  test('20 MB without an end', () => {
    expect(around(`{"type":"user","message":{"content":"${'x'.repeat(20_000_000)}`)).toEqual({ records: 2, broken: 1 })
  })
  test('100,000 brackets', () => {
    expect(around('['.repeat(100_000)).broken).toBe(1)
    expect(around(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`).records).toBeGreaterThanOrEqual(2)
    expect(around('{"type":'.repeat(100_000)).broken).toBe(1)
  })
  test('a million keys', () => {
    const keys = Array.from({ length: 1_000_000 }, (_, i) => `"k${i}":${i}`).join(',')
    expect(around(`{"type":"user",${keys}}`)).toEqual({ records: 3, broken: 0 })
  })
  test('200,000 beginnings of records in one line of 8 MB', () => {
    expect(around('{"parentUuid":"x","type":"user","uuid":1'.repeat(200_000)).broken).toBe(1)
  })
  test('a million broken lines', () => {
    expect(read('x\n'.repeat(1_000_000)).broken.length).toBe(1_000_000)
  })
  test('2,000 records glued to one another: the last ones are found, all others are kept as one broken part', () => {
    const { records, broken } = read(`${LINE.repeat(2_000)}\n`)
    expect(records.every((record) => record.uuid === RECORD.uuid)).toBe(true)
    expect(records.length).toBeGreaterThan(0)
    expect(broken.length).toBe(1)
    const kept = broken.reduce((sum, line) => sum + line.length, 0) + records.length * LINE.length
    expect(kept).toBe(2_000 * LINE.length)
  })
})
