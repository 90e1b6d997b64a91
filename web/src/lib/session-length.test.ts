import { expect, test } from 'bun:test'
import type { SessionStatus } from '#domain/session/session'
import { sessionLength } from './session-length'

const START = '2026-11-26T10:00:00.000Z'
const later = (ms: number) => new Date(Date.parse(START) + ms).toISOString()
const words = (status: SessionStatus, lastEventAt: string | null, now = Date.parse(later(3_600_000))) =>
  sessionLength({ status, startedAt: START, lastEventAt }, now)?.words

test('a session that is over took as long as its lines say', () => {
  expect(words('ended', later(90_000))).toBe('1 min')
  expect(words('lost', later(1_000))).toBe('1 s')
  expect(words('idle', later(7_200_000))).toBe('2 h')
})

test('a session of less than a second is no session of none', () => {
  expect([1, 400, 999].map((ms) => words('ended', later(ms)))).toEqual(['under 1 s', 'under 1 s', 'under 1 s'])
})

test('one time alone, or times in the wrong order, tell no length', () => {
  const unknown = 'length unknown'
  expect([null, START, later(-5_000), 'never'].map((at) => words('ended', at))).toEqual([
    unknown,
    unknown,
    unknown,
    unknown,
  ])
  expect(sessionLength({ status: 'running', startedAt: null, lastEventAt: null }, 0)).toBe(null)
})

test('a session that runs has taken the time until now, whatever its last line says', () => {
  for (const at of [null, START, later(5_000)]) expect(words('running', at)).toBe('1 h so far')
  expect(words('running', START, Date.parse(START))).toBe('just begun')
  expect(words('running', START, Date.parse(later(-60_000)))).toBe('just begun')
})
