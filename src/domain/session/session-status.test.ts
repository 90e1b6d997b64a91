import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { SESSION_STATUSES, type SessionStatus } from './session'
import { sessionStatus } from './session-status'
import type { SessionSignals } from './session-store'

const NOW = Date.UTC(2026, 0, 10)
const S = 1_000
const MIN = 60 * S
const H = 60 * MIN
const DAY = 24 * H

const NOTHING: SessionSignals = {
  activity: null,
  activityAt: null,
  activityEvidence: null,
  endedAt: null,
  endReason: null,
  processId: null,
  processState: null,
  processAt: null,
  fileGrewAt: null,
  lastEventAt: null,
}

/** Ages in milliseconds. */
interface Ages {
  said?: [SessionSignals['activity'], string, number]
  event?: number
  grew?: number
  alive?: number
  gone?: number
  ended?: number
}

function signals({ said, event, grew, alive, gone, ended }: Ages): SessionSignals {
  const at = (age: number | undefined) => (age === undefined ? null : NOW - age)
  return {
    ...NOTHING,
    activity: said?.[0] ?? null,
    activityEvidence: said?.[1] ?? null,
    activityAt: at(said?.[2]),
    lastEventAt: at(event),
    fileGrewAt: at(grew),
    endedAt: at(ended),
    endReason: ended === undefined ? null : 'other',
    processId: alive === undefined && gone === undefined ? null : 4711,
    processState: alive !== undefined ? 'alive' : gone !== undefined ? 'gone' : null,
    processAt: at(alive ?? gone),
  }
}

const CASES: [string, Ages, SessionStatus, string][] = [
  [
    'an old version whose last word was a text, no process known, silent for long',
    { said: ['working', 'transcript:text', 2 * H], event: 2 * H },
    'ended',
    'transcript:text 2 h ago, recorded only',
  ],
  [
    'an old version whose last word was a text, and whose process is gone',
    { said: ['working', 'transcript:text', 2 * MIN], event: 2 * MIN, gone: MIN },
    'ended',
    'transcript:text 2 min ago, process 4711 gone 1 min ago',
  ],
  [
    'in a turn',
    { said: ['working', 'hook:PreToolUse', 3 * S], event: 4 * S, alive: MIN },
    'running',
    'hook:PreToolUse 3 s ago, process 4711 alive',
  ],
  [
    'in a tool for hours',
    { said: ['working', 'transcript:tool_call', 5 * H], event: 5 * H, alive: 6 * H },
    'running',
    'transcript:tool_call 5 h ago, process 4711 alive',
  ],
  [
    'after its turn',
    { said: ['idle', 'hook:Stop', 12 * S], event: 12 * S, alive: MIN },
    'idle',
    'hook:Stop 12 s ago, process 4711 alive',
  ],
  [
    'left open over the weekend',
    { said: ['idle', 'hook:Stop', 3 * DAY], event: 3 * DAY, alive: 4 * DAY },
    'idle',
    'hook:Stop 3 d ago, process 4711 alive',
  ],
  [
    'asking',
    { said: ['waiting', 'hook:PermissionRequest', 5 * MIN], event: 5 * MIN, alive: H },
    'waiting',
    'hook:PermissionRequest 5 min ago, process 4711 alive',
  ],
  [
    'whose CLI said goodbye',
    { said: ['ended', 'hook:SessionEnd(other)', MIN], ended: MIN, event: MIN },
    'ended',
    'hook:SessionEnd(other) 1 min ago',
  ],
  [
    'whose Stop came after its end',
    { said: ['idle', 'hook:StopFailure', 59 * S], ended: MIN, event: MIN },
    'ended',
    'end (other) 1 min ago, recorded only',
  ],
  [
    'ended and resumed',
    { said: ['working', 'transcript:prompt', 3 * S], ended: H, event: 3 * S },
    'running',
    'transcript:prompt 3 s ago',
  ],
  [
    'ended and opened again',
    { said: ['idle', 'hook:SessionStart(resume)', 58 * S], ended: MIN, alive: 57 * S },
    'idle',
    'hook:SessionStart(resume) 58 s ago, process 4711 alive',
  ],
  ['with an end and no word since', { ended: H, event: H + S }, 'ended', 'end (other) 1 h ago, recorded only'],
  [
    'killed in a turn',
    { said: ['working', 'transcript:tool_result', MIN], event: MIN, gone: 5 * S },
    'lost',
    'transcript:tool_result 1 min ago, process 4711 gone 5 s ago',
  ],
  [
    'killed while asking',
    { said: ['waiting', 'hook:PermissionRequest', MIN], event: MIN, gone: 5 * S },
    'lost',
    'hook:PermissionRequest 1 min ago, process 4711 gone 5 s ago',
  ],
  [
    'killed after its turn',
    { said: ['idle', 'transcript:end_turn', MIN], event: MIN, gone: 5 * S },
    'ended',
    'transcript:end_turn 1 min ago, process 4711 gone 5 s ago',
  ],
  [
    'resumed on another host after its process was gone',
    { said: ['working', 'transcript:prompt', 3 * S], event: 3 * S, gone: H },
    'running',
    'transcript:prompt 3 s ago',
  ],
  [
    'working, no process known, quiet for a while',
    { said: ['working', 'transcript:tool_call', 50 * MIN], event: 50 * MIN },
    'running',
    'transcript:tool_call 50 min ago',
  ],
  [
    'working, no process known, silent for long',
    { said: ['working', 'transcript:tool_call', 2 * H], event: 2 * H },
    'lost',
    'transcript:tool_call 2 h ago, no process found',
  ],
  [
    'idle, no process known, this morning',
    { said: ['idle', 'transcript:end_turn', 6 * H], event: 6 * H },
    'idle',
    'transcript:end_turn 6 h ago',
  ],
  [
    'imported, finished long ago',
    { said: ['idle', 'transcript:end_turn', 3 * DAY], event: 3 * DAY, grew: S },
    'ended',
    'transcript:end_turn 3 d ago, recorded only',
  ],
  [
    'imported, broken off long ago',
    { said: ['working', 'transcript:tool_call', 3 * DAY], event: 3 * DAY, grew: S },
    'lost',
    'transcript:tool_call 3 d ago, no process found',
  ],
  ['imported, no turn in it', { event: 3 * DAY, grew: S }, 'ended', 'last event 3 d ago, recorded only'],
  ['imported, no event with a time', { grew: 5 * MIN }, 'ended', 'file grew 5 min ago, recorded only'],
  [
    'asked yesterday, no process known',
    { said: ['waiting', 'transcript:AskUserQuestion', 20 * H], event: 20 * H },
    'waiting',
    'transcript:AskUserQuestion 20 h ago',
  ],
  [
    'asked last week, no process known',
    { said: ['waiting', 'transcript:AskUserQuestion', 7 * DAY], event: 7 * DAY },
    'lost',
    'transcript:AskUserQuestion 7 d ago, no process found',
  ],
  [
    'idle while a background agent writes',
    { said: ['idle', 'hook:Stop', 10 * MIN], event: 4 * S, grew: 3 * S, alive: H },
    'running',
    'file grew 3 s ago, hook:Stop 10 min ago, process 4711 alive',
  ],
  [
    'idle, its last lines just written',
    { said: ['idle', 'hook:Stop', 10 * S], event: 9 * S, grew: 9 * S, alive: H },
    'idle',
    'hook:Stop 10 s ago, process 4711 alive',
  ],
  ['just begun, nothing said', { grew: S }, 'idle', 'file grew 1 s ago'],
  ['telling things, no turn known', { event: 10 * S, grew: 9 * S }, 'running', 'file grew 9 s ago'],
  ['with a process and nothing else', { alive: S }, 'idle', 'nothing heard, process 4711 alive'],
  ['with nothing at all', {}, 'ended', 'nothing heard, recorded only'],
  [
    'whose clock is ahead',
    { said: ['working', 'transcript:prompt', -H], event: -H },
    'running',
    'transcript:prompt 0 s ago',
  ],
]

describe('a session', () => {
  test.each(CASES)('%s', (_name, ages, status, statusEvidence) => {
    expect(sessionStatus(signals(ages), NOW)).toEqual({ status, statusEvidence })
  })
})

const anyTime = fc.option(
  fc.oneof(
    fc.integer({ min: NOW - 10 * DAY, max: NOW }),
    fc.double(),
    fc.constantFrom(0, -1, Number.NaN, Number.POSITIVE_INFINITY),
  ),
)
const anySignals = (time: fc.Arbitrary<number | null>): fc.Arbitrary<SessionSignals> =>
  fc.record({
    activity: fc.constantFrom('working', 'idle', 'waiting', 'ended', null),
    activityAt: time,
    activityEvidence: fc.option(fc.string()),
    endedAt: time,
    endReason: fc.option(fc.string()),
    processId: fc.option(fc.integer()),
    processState: fc.constantFrom('alive', 'gone', null),
    processAt: time,
    fileGrewAt: time,
    lastEventAt: time,
  })

describe('whatever the signals', () => {
  test('there is one status with evidence a person can read', () => {
    fc.assert(
      fc.property(anySignals(anyTime), fc.oneof(fc.constant(NOW), fc.double()), (any, now) => {
        const { status, statusEvidence } = sessionStatus(any, now)
        expect(SESSION_STATUSES).toContain(status)
        expect(statusEvidence.length).toBeGreaterThan(0)
        const own = [any.activityEvidence, any.endReason].some((text) => /NaN|Infinity|undefined|null/.test(text ?? ''))
        if (!own) expect(statusEvidence).not.toMatch(/NaN|Infinity|undefined|null/)
        expect(sessionStatus(any, now)).toEqual({ status, statusEvidence })
      }),
      { numRuns: 5_000 },
    )
  })

  test('silence never brings a session back to life', () => {
    const past = fc.option(fc.integer({ min: NOW - 10 * DAY, max: NOW }))
    fc.assert(
      fc.property(anySignals(past), fc.nat(10 * DAY), fc.nat(10 * DAY), (any, a, b) => {
        const before = sessionStatus(any, NOW + Math.min(a, b)).status
        const after = sessionStatus(any, NOW + Math.max(a, b)).status
        if (before === 'ended' || before === 'lost') expect(after).toBe(before)
        if (before === 'idle') expect(['idle', 'ended']).toContain(after)
      }),
      { numRuns: 5_000 },
    )
  })
})
