import { expect, test } from 'bun:test'
import type { SessionSignals } from '../session/session-store'
import { isSessionOver, type SubagentSignals, subagentStatus } from './subagent-status'

const live: SessionSignals = {
  activity: 'working',
  activityAt: 100,
  activityEvidence: 'hook:UserPromptSubmit',
  endedAt: null,
  endReason: null,
  processId: 7,
  processState: 'alive',
  processAt: 100,
  fileGrewAt: 100,
  lastEventAt: 100,
}
const started: SubagentSignals = {
  lastStartedAt: 50,
  lastEventAt: 60,
  endStatus: null,
  endAt: null,
  endEvidence: null,
  finalAt: null,
  turnAt: null,
}
const statusOf = (signals: Partial<SubagentSignals>, session: Partial<SessionSignals> = {}): string =>
  subagentStatus({ ...started, ...signals }, { ...live, ...session }).status

test('a sub-agent without an end is running while its session may be at work', () => {
  expect(statusOf({})).toBe('running')
})

test('an end counts, also one without a time', () => {
  expect(statusOf({ endStatus: 'completed', endAt: 70 })).toBe('completed')
  expect(statusOf({ endStatus: 'killed', endAt: null })).toBe('killed')
  expect(statusOf({ endStatus: 'failed', endAt: 50 })).toBe('failed')
})

test('a sub-agent that was set to work again after its end is running', () => {
  expect(statusOf({ endStatus: 'completed', endAt: 40 })).toBe('running')
})

test('a sub-agent without an end is lost once its session ended or its process is gone', () => {
  expect(statusOf({}, { activity: 'ended' })).toBe('lost')
  expect(statusOf({}, { processState: 'gone', processAt: 100 })).toBe('lost')
  expect(statusOf({ endStatus: 'completed', endAt: 70 }, { activity: 'ended' })).toBe('completed')
})

test('a process that was gone before the last sign of life says nothing', () => {
  expect(isSessionOver({ ...live, processState: 'gone', processAt: 99 })).toBeUndefined()
})

test('what a process wrote before it was gone is no sign of life, however late it is read', () => {
  expect(isSessionOver({ ...live, processState: 'gone', processAt: 150, fileGrewAt: 200 })).toBe('process gone')
  expect(statusOf({}, { processState: 'gone', processAt: 150, fileGrewAt: 200 })).toBe('lost')
})

test('a sub-agent of which nothing was seen but its name is unknown', () => {
  expect(statusOf({ lastStartedAt: null, lastEventAt: null })).toBe('unknown')
})

test('without an end, a transcript that ends with the last words of a turn says that it completed, once its session is over', () => {
  const over = { activity: 'ended' as const }
  expect(statusOf({ finalAt: 70, turnAt: 69 })).toBe('running')
  expect(subagentStatus({ ...started, finalAt: 70, turnAt: 69 }, { ...live, ...over })).toEqual({
    status: 'completed',
    evidence: 'transcript:end',
    at: 70,
  })
  expect(statusOf({ finalAt: 70, turnAt: 70 }, over)).toBe('completed')
  // It was sent on by a hook, or by a message that its lines do not show yet.
  expect(statusOf({ finalAt: 70, turnAt: 71 }, over)).toBe('lost')
  expect(statusOf({ finalAt: 70, lastStartedAt: 80 }, over)).toBe('lost')
  expect(statusOf({ finalAt: 70, endStatus: 'failed', endAt: 75 }, over)).toBe('failed')
})
