import { expect, test } from 'bun:test'
import { parseSearch } from '../../lib/search'
import { auditInput, auditPath, parseAuditSearch } from './audit-search'

const parsed = (address: string) => parseAuditSearch(parseSearch(new URL(address, 'http://x').search))

test('the address says what is shown, and wrong words in it count for nothing', () => {
  const search = { act: 'question.answer', who: 'worker', since: '7d' } as const
  expect(parsed(auditPath(search))).toEqual(search)
  expect(parsed('/audit?act=drop&since=never&who=')).toEqual({})
  expect(parsed(`/audit?who=${'x'.repeat(900)}`).who).toHaveLength(300)
  expect(auditPath({})).toBe('/audit')
})

test('a span counts back from now', () => {
  const now = Date.parse('2026-11-23T12:00:00Z')
  expect(auditInput({ since: '24h', who: 'Ann' }, now)).toEqual({ who: 'Ann', since: '2026-11-22T12:00:00.000Z' })
  expect(auditInput({}, now)).toEqual({})
})
