import { describe, expect, test } from 'bun:test'
import { sessionId } from '../../src/domain/ids'
import { backoffMs, limitEnd, moveAfterAttempt, UNKNOWN_LIMIT_MS } from '../../src/domain/task/after-attempt'
import type { FailureClass, Rung } from '../../src/domain/task/task'
import type { AttemptRow, TaskRow } from '../../src/domain/task/task-store'
import type { AttemptEnd } from '../../src/domain/task/worker-protocol'
import { taskRow } from '../samples/tasks'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const ID = sessionId('00000000-0000-4000-8000-000000000000')

type Told = Pick<AttemptEnd, 'outcome' | 'failureClass' | 'reason' | 'resetAt' | 'output'>
const end = (
  outcome: AttemptEnd['outcome'],
  failureClass: FailureClass | null = null,
  more: Partial<Told> = {},
): Told => ({
  outcome,
  failureClass,
  reason: 'said so',
  resetAt: null,
  output: null,
  ...more,
})

const attempt = (
  changes: Partial<AttemptRow> & { rung?: Rung } = {},
): Pick<AttemptRow, 'number' | 'wish' | 'wishReason' | 'conversation'> => ({
  number: 1,
  wish: null,
  wishReason: null,
  conversation:
    changes.rung === undefined
      ? null
      : { rung: changes.rung, sessionId: ID, resumedSessionId: null, forked: false, forkPoint: null, whyNot: [] },
  ...changes,
})

const after = (told: Told, task: Partial<TaskRow> = {}, row = attempt()) =>
  moveAfterAttempt(taskRow({ status: 'in_progress', attemptCount: 1, ...task }), row, told, NOW)

describe('after an attempt', () => {
  test('that completed, the task is completed by its runner with the result’s text', () => {
    expect(after(end('completed', null, { output: 'text' }))).toMatchObject({
      kind: 'complete',
      finishedBy: 'runner',
      output: 'text',
    })
  })

  test.each(['crash', 'overloaded', null] as const)(
    'that failed by %p it is tried again after a growing wait',
    (name) => {
      expect(after(end('failed', name))).toMatchObject({ kind: 'park', until: NOW + 1_000, isTry: true })
      expect(after(end('failed', name), { triesUsed: 1 })).toMatchObject({ kind: 'park', until: NOW + 2_000 })
      expect(after(end('failed', name), { triesUsed: 2 })).toMatchObject({
        kind: 'fail',
        failureClass: name ?? 'crash',
        why: 'attempt 1 failed: said so (try 3 of 3)',
      })
    },
  )

  test.each(['login', 'bad_flag', 'turn_limit', 'cost_limit', 'timeout', 'agent'] as const)(
    'that failed by %p it has failed, with tries left',
    (name) => {
      expect(after(end('failed', name))).toMatchObject({ kind: 'fail', failureClass: name, failureReason: 'said so' })
    },
  )

  test('that met a usage limit it is paused until the reset, and no try is used', () => {
    const resetAt = '2026-01-01T03:00:00Z'
    expect(after(end('failed', 'usage_limit', { resetAt }), { triesUsed: 2 })).toMatchObject({
      kind: 'pause',
      by: 'limit',
      until: Date.parse(resetAt),
    })
    expect(after(end('paused', 'usage_limit', { resetAt }))).toMatchObject({ by: 'limit', until: Date.parse(resetAt) })
    expect(limitEnd(null, NOW)).toBe(NOW + UNKNOWN_LIMIT_MS)
    expect(limitEnd('soon', NOW)).toBe(NOW + UNKNOWN_LIMIT_MS)
    expect(limitEnd('2025-01-01T00:00:00Z', NOW)).toBe(NOW + UNKNOWN_LIMIT_MS)
    expect(limitEnd('2099-01-01T00:00:00Z', NOW)).toBe(NOW + UNKNOWN_LIMIT_MS)
  })

  test.each(['native', 'restored', 'snapshot'] as const)(
    'with a saturated or refused conversation by %p goes on by a summary',
    (rung) => {
      expect(after(end('failed', 'prompt_too_long'), {}, attempt({ rung }))).toMatchObject({
        kind: 'fall',
        startRung: 'preamble',
        isTry: true,
      })
      expect(after(end('failed', 'resume_refused'), { triesUsed: 2 }, attempt({ rung }))).toMatchObject({
        kind: 'fall',
        startRung: 'preamble',
        isTry: false,
      })
    },
  )

  test('below a summary is a fresh start, and below that nothing', () => {
    const long = end('failed', 'prompt_too_long')
    expect(after(long, {}, attempt({ rung: 'preamble' }))).toMatchObject({ kind: 'fall', startRung: 'fresh' })
    expect(after(long, {}, attempt({ rung: 'fresh' }))).toMatchObject({ kind: 'fail', failureClass: 'prompt_too_long' })
    expect(after(end('failed', 'resume_refused'), { startRung: 'fresh' })).toMatchObject({ kind: 'fail' })
    expect(after(end('failed', 'resume_refused'), { startRung: 'preamble' })).toMatchObject({ startRung: 'fresh' })
  })

  test('that was paused it is paused by whoever wished it, else by the shutdown of its worker', () => {
    expect(after(end('paused'))).toMatchObject({ kind: 'pause', by: 'shutdown' })
    const wished = attempt({ wish: 'pause', wishReason: 'paused by operator' })
    for (const told of [end('paused'), end('failed', 'crash'), end('lost', 'lease_lost'), end('released')])
      expect(after(told, {}, wished)).toMatchObject({
        kind: 'pause',
        by: 'person',
        why: 'attempt 1 was stopped: paused by operator',
      })
    expect(after(end('completed'), {}, wished)).toMatchObject({ kind: 'complete' })
  })

  test('that was paused after the wish was taken back it goes on at once', () => {
    expect(after(end('paused'), {}, attempt({ wishReason: 'resumed by operator' }))).toMatchObject({
      kind: 'park',
      until: NOW,
      isTry: false,
    })
  })

  test('that was stopped for a release it is released', () => {
    expect(after(end('cancelled'), {}, attempt({ wish: 'cancel', wishReason: 'released' }))).toMatchObject({
      kind: 'release',
    })
  })

  test('that was lost it is lost, however that was told', () => {
    expect(after(end('lost'))).toMatchObject({ kind: 'lose', keepAgent: false })
    expect(after(end('failed', 'lease_lost'))).toMatchObject({ kind: 'lose' })
  })
})

test('the wait between tries grows to its bound', () => {
  const policy = { maximumAttempts: 9, initialIntervalMs: 100, backoffCoefficient: 3, maximumIntervalMs: 1_000 }
  expect([1, 2, 3, 4, 50].map((tries) => backoffMs(policy, tries))).toEqual([100, 300, 900, 1_000, 1_000])
})
