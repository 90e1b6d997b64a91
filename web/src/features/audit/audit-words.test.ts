import { expect, test } from 'bun:test'
import { type AuditLine, CSV_HEAD, csvLine, detailInWords, jsonLine, whoInWords } from './audit-words'

const LINE: AuditLine = {
  number: 7,
  at: '2026-11-23T12:00:00.000Z',
  act: 'session.export',
  actor: { kind: 'worker', name: '=cmd()', peer: '192.0.2.7' },
  target: 'a "b", c',
  detail: { bytes: 12, kind: null },
  before: 'aa',
  hash: 'bb',
}

test('a line is told in words', () => {
  expect(whoInWords(LINE)).toBe('worker =cmd() from 192.0.2.7')
  expect(whoInWords({ ...LINE, actor: { kind: 'system', name: null, peer: null } })).toBe('system')
  expect(detailInWords(LINE)).toBe('bytes=12 kind=none')
})

test('in a table every value stays in its cell, and none is a formula', () => {
  const line = csvLine({ ...LINE, target: 'x\ny' })
  expect(CSV_HEAD.trim().split(',')).toHaveLength(10)
  expect(csvLine(LINE)).toBe(
    `7,2026-11-23T12:00:00.000Z,session.export,worker,'=cmd(),192.0.2.7,"a ""b"", c","{""bytes"":12,""kind"":null}",aa,bb\r\n`,
  )
  expect(line).toContain('"x\ny"')
  for (const name of ['+1', '-1', '@x', '\tx'])
    expect(csvLine({ ...LINE, actor: { kind: 'worker', name, peer: null } })).toContain(`,'${name},`)
})

test('as JSON a line is what the API gave', () => {
  expect(JSON.parse(jsonLine(LINE))).toEqual(LINE)
  expect(jsonLine(LINE).endsWith('\n')).toBe(true)
})
