import { describe, expect, test } from 'bun:test'
import { AppError } from '../../domain/errors'
import type { RunEnd, RunResult } from '../../domain/harness/harness-run'
import { attemptEnd, failedStart } from './attempt-end'
import type { SessionEnd } from './run-session'

const RESULT: RunResult = {
  subtype: 'success',
  isError: false,
  text: 'all good',
  errors: [],
  numTurns: 3,
  costUsd: 0.5,
  usage: null,
  terminalReason: null,
  sessionId: null,
}
const harness = {
  outcome: ({ exitCode, result }: RunEnd) =>
    exitCode === 0 && result?.isError === false
      ? { isOk: true, failureClass: null, reason: 'done', resetAt: null }
      : { isOk: false, failureClass: null, reason: `ended with ${exitCode}`, resetAt: null },
}
const end = (more: Partial<SessionEnd> = {}) =>
  attemptEnd(
    {
      exit: { exitCode: 0, signal: null, by: 'itself' },
      result: RESULT,
      stderr: '',
      apiErrors: [],
      stoppedBy: null,
      isEndedAfterWork: false,
      ...more,
    },
    harness,
    { isResume: true, now: 0 },
  )

describe('the end of a run', () => {
  test('is told as its CLI ended, with output and figures', () => {
    expect(end()).toEqual({
      outcome: 'completed',
      failureClass: null,
      reason: 'done',
      resetAt: null,
      output: 'all good',
      exitCode: 0,
      signal: null,
      numTurns: 3,
      costUsd: 0.5,
      usage: null,
    })
    expect(end({ exit: { exitCode: 1, signal: null, by: 'itself' } })).toMatchObject({
      outcome: 'failed',
      failureClass: 'crash',
    })
    expect(end({ result: null })).toMatchObject({ outcome: 'failed', output: null })
  })

  test('that we brought about after its work counts as its last result says', () => {
    const exit = { exitCode: 143, signal: null, by: 'itself' as const }
    expect(end({ exit, isEndedAfterWork: true })).toMatchObject({ outcome: 'completed', exitCode: 143 })
    const failed = { ...RESULT, isError: true }
    expect(end({ exit, isEndedAfterWork: true, result: failed })).toMatchObject({ outcome: 'failed' })
  })

  test('that somebody asked for is what was asked for, whatever the CLI said last', () => {
    const stopped = (stop: NonNullable<SessionEnd['stoppedBy']>['stop']) => end({ stoppedBy: { stop, reason: 'why' } })
    expect(stopped('pause')).toMatchObject({ outcome: 'paused', failureClass: null, reason: 'why' })
    expect(stopped('cancel')).toMatchObject({ outcome: 'cancelled' })
    expect(stopped('timeout')).toMatchObject({ outcome: 'failed', failureClass: 'timeout' })
    expect(stopped('mismatch')).toMatchObject({ outcome: 'failed', failureClass: 'resume_refused' })
  })

  test('by a guard whom nobody renewed does not count against the task', () => {
    expect(end({ exit: { exitCode: null, signal: 'SIGKILL', by: 'deadline' } })).toMatchObject({
      outcome: 'failed',
      failureClass: 'lease_lost',
    })
  })
})

describe('a run that did not start', () => {
  test('is not tried again when something is wrong with what was asked for', () => {
    expect(failedStart(new AppError('invalid', 'no such folder', { hint: 'Make it.' }))).toMatchObject({
      outcome: 'failed',
      failureClass: 'bad_flag',
      reason: 'no such folder. Make it.',
    })
    expect(failedStart(new AppError('not_found', 'no CLI'))).toMatchObject({ failureClass: 'bad_flag' })
    expect(failedStart(new Error('EMFILE'))).toMatchObject({ failureClass: 'crash', reason: 'EMFILE' })
  })
})
