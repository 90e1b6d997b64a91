import { afterAll, describe, expect, test } from 'bun:test'
import { NOW } from '../kit/fake-io'
import { parseMoment, parsePastMoment, parseSpan } from './moments'

describe('a span', () => {
  test('is a number with its unit, or several', () => {
    const spans = ['500ms', '90s', '30m', '2h', '1h30m', '1d'].map((text) => parseSpan('--timeout', text))
    expect(spans).toEqual([500, 90_000, 1_800_000, 7_200_000, 5_400_000, 86_400_000])
  })
  test('is refused without a unit, with other words, or when it is nothing', () => {
    for (const text of ['30', '', 'm', '-5m', '5 m', '0s', '1e3s', '9999999999d', '5mm', '\u001b[31m'])
      expect(() => parseSpan('--timeout', text)).toThrow('--timeout needs a time span')
  })
})

describe('a moment gone by', () => {
  test('is a span before now, the last such clock time, or a date', () => {
    expect(parsePastMoment('--since', '7d', NOW)).toBe(new Date(NOW - 7 * 86_400_000).toISOString())
    expect(parsePastMoment('--since', '2026-11-20T18:30:00Z', NOW)).toBe('2026-11-20T18:30:00.000Z')
    const clock = new Date(NOW - 3_600_000)
    const [hours, minutes] = [clock.getHours(), String(clock.getMinutes()).padStart(2, '0')]
    clock.setSeconds(0, 0)
    expect(parsePastMoment('--since', `${hours}:${minutes}`, NOW)).toBe(clock.toISOString())
    expect(() => parsePastMoment('--since', 'yesterday', NOW)).toThrow('--since needs a time')
  })
})

describe('where clocks change', () => {
  const { TZ } = process.env
  afterAll(() => {
    if (TZ === undefined) delete process.env.TZ
    else process.env.TZ = TZ
  })

  test('a date begins with its own day, and a clock time is that of the clock on its day', () => {
    process.env.TZ = 'Europe/Berlin'
    const now = Date.parse('2026-03-29T12:00:00+02:00')
    const past = (text: string, at = now) => parsePastMoment('--since', text, at)
    const next = (text: string, at = now) => parseMoment('--not-before', text, at)
    expect(past('2026-03-29')).toBe('2026-03-28T23:00:00.000Z')
    expect(past('2026-03-30')).toBe('2026-03-29T22:00:00.000Z')
    expect(past('2026-10-26')).toBe('2026-10-25T23:00:00.000Z')
    expect(past('18:30')).toBe('2026-03-28T17:30:00.000Z')
    expect(next('09:00')).toBe('2026-03-30T07:00:00.000Z')
    // That morning there was no 2:30.
    expect(next('02:30')).toBe('2026-03-30T00:30:00.000Z')
    expect(past('02:30')).toBe('2026-03-29T01:30:00.000Z')
    expect(past('02:30', Date.parse('2026-03-29T01:00:00+01:00'))).toBe('2026-03-28T01:30:00.000Z')
    // That one had two: the first, once it is over.
    expect(past('02:30', Date.parse('2026-10-25T09:00:00+01:00'))).toBe('2026-10-25T00:30:00.000Z')
    expect(next('02:30', Date.parse('2026-10-25T01:00:00+02:00'))).toBe('2026-10-25T00:30:00.000Z')
    process.env.TZ = 'Africa/Cairo'
    // Its clocks go from 0 to 1, so that its day begins at 1.
    expect(past('2026-04-24')).toBe('2026-04-23T22:00:00.000Z')
  })
})

describe('a moment', () => {
  test('is a span from now, the next such clock time, or a date', () => {
    expect(parseMoment('--not-before', '2h', NOW)).toBe(new Date(NOW + 7_200_000).toISOString())
    expect(parseMoment('--not-before', '+90s', NOW)).toBe(new Date(NOW + 90_000).toISOString())
    expect(parseMoment('--not-before', '2026-11-20T18:30:00Z', NOW)).toBe('2026-11-20T18:30:00.000Z')
    expect(parseMoment('--not-before', '2026-11-20 18:30', NOW)).toBe(new Date(2026, 10, 20, 18, 30).toISOString())
    expect(parseMoment('--not-before', '2026-11-20', NOW)).toBe(new Date(2026, 10, 20).toISOString())
    const next = Date.parse(parseMoment('--not-before', '00:05', NOW))
    expect(next).toBeGreaterThan(NOW)
    expect(next - NOW).toBeLessThanOrEqual(86_400_000)
  })
  test('is refused when it is none', () => {
    for (const text of ['soon', '25:00', '12:60', '2026-13-01', '0', '12', ''])
      expect(() => parseMoment('--not-before', text, NOW)).toThrow('--not-before needs a time')
  })
})
