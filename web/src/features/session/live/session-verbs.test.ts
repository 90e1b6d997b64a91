import { expect, test } from 'bun:test'
import { taskId } from '#domain/ids'
import { sessionVerbs, type VerbFacts } from './session-verbs'

const FACTS: VerbFacts = { status: 'running', worker: null, paused: null, cli: 'Codex', canRun: true, hasOther: false }
const possible = (facts: Partial<VerbFacts>) =>
  sessionVerbs({ ...FACTS, ...facts }).flatMap(({ verb, whyNot }) => (whyNot === null ? [verb] : []))
const why = (facts: Partial<VerbFacts>, wanted: string) =>
  sessionVerbs({ ...FACTS, ...facts }).find(({ verb }) => verb === wanted)?.whyNot

test('a live run can be interrupted and stopped, and is continued already', () => {
  const worker = { taskId: taskId('t-12345678'), isLive: true }
  expect(possible({ worker })).toEqual(['send', 'interrupt', 'stop', 'fork', 'before'])
  expect(why({ worker }, 'continue')).toContain('t-12345678')
})

test('what somebody else runs is not stopped from here', () => {
  expect(possible({})).toEqual(['send', 'fork', 'before'])
  expect(why({}, 'stop')).toContain('did not start')
  expect(why({ status: 'idle' }, 'stop')).toBe('Nothing is running.')
})

test('what was stopped is resumed as the task that it is, and not as another one', () => {
  const worker = { taskId: taskId('t-12345678'), isLive: false }
  expect(possible({ status: 'ended', worker, paused: 't-12345678' })).not.toContain('continue')
  expect(why({ status: 'ended', worker, paused: 't-12345678' }, 'continue')).toContain('is paused')
})

test('what is over is continued, in another agent CLI if need be', () => {
  expect(possible({ status: 'lost' })).toEqual(['send', 'continue', 'fork', 'before'])
  expect(possible({ status: 'ended', canRun: false, hasOther: true })).toEqual(['continue'])
  expect(why({ status: 'ended', canRun: false }, 'continue')).toContain('cannot run')
})
