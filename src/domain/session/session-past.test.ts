import { expect, test } from 'bun:test'
import { type PastSigns, statusAt } from './session-past'
import { bareStatus } from './session-status'
import type { SessionSignals } from './session-store'

const MINUTE = 60_000
const NOON = Date.parse('2026-01-01T12:00:00Z')

const signals = (more: Partial<SessionSignals>): SessionSignals => ({
  activity: 'idle',
  activityAt: NOON,
  activityEvidence: 'hook:Stop',
  endedAt: null,
  endReason: null,
  processId: null,
  processState: null,
  processAt: null,
  fileGrewAt: null,
  lastEventAt: NOON,
  ...more,
})
const signs = (more: Partial<PastSigns>): PastSigns => ({
  signals: signals({}),
  heardAt: NOON - 10 * MINUTE,
  mainAt: NOON - 10 * MINUTE,
  next: 'work',
  isAsking: false,
  ...more,
})

test('once nothing came after a moment, a session is then what it is by its last signs', () => {
  const last = { heardAt: NOON, mainAt: NOON, next: null }
  for (const more of [
    {},
    { activity: 'waiting' as const },
    { activity: 'working' as const },
    { endedAt: NOON, activity: 'ended' as const },
  ])
    for (const later of [0, MINUTE, 100 * MINUTE, 3_000 * MINUTE]) {
      const own = signals(more)
      expect(statusAt(signs({ ...last, signals: own }), NOON + later)).toBe(bareStatus(own, NOON + later))
    }
})

test('what had to be allowed by a person at its last sign waited', () => {
  const last = { heardAt: NOON, mainAt: NOON, next: null, isAsking: true }
  expect(statusAt(signs({ ...last, signals: signals({ activity: 'working' }) }), NOON + MINUTE)).toBe('waiting')
  expect(statusAt(signs({ ...last, signals: signals({ activity: 'idle' }) }), NOON + MINUTE)).toBe('idle')
})

test('before that it works within a turn, waits in a question, and rests between turns', () => {
  const at = NOON - 9 * MINUTE
  expect(statusAt(signs({}), at)).toBe('running')
  expect(statusAt(signs({ isAsking: true }), at)).toBe('waiting')
  expect(statusAt(signs({ next: 'turn' }), at)).toBe('idle')
})

test('a later end, and a process that was gone later, are not known yet', () => {
  const at = NOON + MINUTE
  const last = { heardAt: NOON, mainAt: NOON, next: null }
  const ended = signals({ endedAt: NOON + 5 * MINUTE, activity: 'ended', activityAt: NOON + 5 * MINUTE })
  expect(statusAt(signs({ ...last, signals: ended }), at)).toBe('running')
  expect(statusAt(signs({ ...last, signals: ended }), NOON + 6 * MINUTE)).toBe('ended')
  const gone = signals({ activity: 'working', processState: 'gone', processAt: NOON + 5 * MINUTE })
  expect(statusAt(signs({ ...last, signals: gone }), at)).toBe('running')
  expect(statusAt(signs({ ...last, signals: gone }), NOON + 6 * MINUTE)).toBe('lost')
})

test('sub-agents that go on behind a finished turn keep their session at work', () => {
  const heard = { mainAt: NOON - 30 * MINUTE, heardAt: NOON - 10 * MINUTE, next: 'turn' as const }
  expect(statusAt(signs(heard), NOON - 9 * MINUTE)).toBe('running')
  expect(statusAt(signs(heard), NOON - 5 * MINUTE)).toBe('idle')
})
