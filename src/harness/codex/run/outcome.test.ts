import { expect, test } from 'bun:test'
import type { RunEnd, RunResult } from '../../../domain/harness/harness-run'
import type { FailureClass } from '../../../domain/task/task'
import { errorKind, outcome, resetTimeIn } from './outcome'

const NOW = new Date('2026-11-24T20:33:00').getTime()
const RESULT: RunResult = {
  ...{ subtype: 'success', isError: false, text: 'done', errors: [], numTurns: 1 },
  ...{ costUsd: null, usage: null, terminalReason: null, sessionId: null },
}
const END: RunEnd = {
  ...{ exitCode: 0, signal: null, result: RESULT, stderr: '', apiErrors: [], isResume: false },
  now: NOW,
}
const failed = (subtype: string, errors: string[] = [], terminalReason: string | null = null) =>
  outcome({ ...END, result: { ...RESULT, isError: true, subtype, errors, terminalReason } })

test('a result without an error and a good end is a success; a process that dies is none', () => {
  expect(outcome(END).isOk).toBe(true)
  expect(outcome({ ...END, exitCode: null, signal: 'SIGKILL' })).toMatchObject({ isOk: false, failureClass: 'crash' })
  expect(outcome({ ...END, result: null, exitCode: 1, stderr: 'one\ntwo\n' }).reason).toEndWith(
    'with exit code 1. It said: two.',
  )
})

const CLASSES: [unknown, FailureClass][] = [
  ['usageLimitExceeded', 'usage_limit'],
  ['contextWindowExceeded', 'prompt_too_long'],
  ['serverOverloaded', 'overloaded'],
  ['rateLimitExceeded', 'overloaded'],
  ['unauthorized', 'login'],
  ['modelNotFound', 'bad_flag'],
  ['cyberPolicy', 'agent'],
  ['other', 'crash'],
  ['a word of a later release', 'crash'],
  [null, 'crash'],
  [{ httpConnectionFailed: { httpStatusCode: 401 } }, 'login'],
  [{ httpConnectionFailed: { httpStatusCode: 400 } }, 'bad_flag'],
  [{ httpConnectionFailed: { httpStatusCode: 413 } }, 'prompt_too_long'],
  [{ httpConnectionFailed: { httpStatusCode: null } }, 'overloaded'],
  [{ responseTooManyFailedAttempts: { httpStatusCode: 500 } }, 'overloaded'],
  [{ responseStreamDisconnected: {} }, 'overloaded'],
  [{}, 'crash'],
]
test.each(CLASSES)('the error %p is of the class %s', (info, failureClass) => {
  expect(failed(errorKind(info), ['no'])).toMatchObject({ isOk: false, failureClass })
})

test('where the provider gives no kind, its words tell', () => {
  expect(failed('other', ['This model has a maximum context length of 8 tokens']).failureClass).toBe('prompt_too_long')
  expect(failed('other', ['You exceeded your current quota']).failureClass).toBe('usage_limit')
  expect(failed('other', ['stream disconnected before completion']).failureClass).toBe('overloaded')
  // What the API answers with 400 is passed on as it is. If the conversation goes on, it may be about what was said before.
  const errors = ['{"error":{"message":"Item \\"x\\" is not known.","type":"invalid_request_error"}}']
  expect(failed('other', errors)).toMatchObject({
    failureClass: 'bad_flag',
    reason: 'The model\'s API refused the request: Item "x" is not known.',
  })
  const result = { ...RESULT, isError: true, subtype: 'other', errors }
  expect(outcome({ ...END, isResume: true, result }).failureClass).toBe('resume_refused')
})

test('the end of a usage limit is read from the words, or from what the account says', () => {
  const iso = (text: string) => new Date(text).toISOString()
  expect(failed('usageLimitExceeded', ['… or try again at 9:33 PM.']).resetAt).toBe(iso('2026-11-24T21:34:00'))
  expect(failed('usageLimitExceeded', ['try again at 8:10 AM.']).resetAt).toBe(iso('2026-11-25T08:11:00'))
  expect(failed('usageLimitExceeded', ['try again at Nov 26th, 2026 9:33 AM.']).resetAt).toBe(
    iso('2026-11-26T09:34:00'),
  )
  expect(failed('usageLimitExceeded', ['no time'], iso('2026-11-25T01:00:00')).resetAt).toBe(iso('2026-11-25T01:00:00'))
  // A time that has passed, or lies beyond any limit, tells nothing.
  expect(failed('usageLimitExceeded', ['try again at Nov 2nd, 2026 9:33 AM.']).resetAt).toBeNull()
  expect(failed('usageLimitExceeded', ['try again at Nov 2nd, 2099 9:33 AM.']).resetAt).toBeNull()
  expect(resetTimeIn('try again later', NOW)).toBeNull()
})
