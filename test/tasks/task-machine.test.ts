import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { agentKey, sessionId } from '../../src/domain/ids'
import { isFinal, TASK_STATUSES, type TaskStatus } from '../../src/domain/task/task'
import {
  isRefused,
  MAX_LOST_IN_A_ROW,
  MOVES_FROM,
  type Move,
  type MoveKind,
  movedTask,
} from '../../src/domain/task/task-machine'
import type { TaskRow } from '../../src/domain/task/task-store'
import { taskRow } from '../samples/tasks'

const NOW = 1_000_000
const WORKER = agentKey(7)

/** One move of each kind, as it is made when nothing else is said. */
const MOVES: Readonly<Record<MoveKind, Move>> = {
  queue: { kind: 'queue', why: 'why' },
  shelve: { kind: 'shelve', why: 'why' },
  place: { kind: 'place', why: 'why' },
  claim: { kind: 'claim', agentKey: WORKER, assignedBy: 'claim', why: 'why' },
  park: { kind: 'park', until: NOW + 1_000, isTry: true, why: 'why' },
  fall: { kind: 'fall', startRung: 'preamble', isTry: true, why: 'why' },
  lose: { kind: 'lose', keepAgent: false, why: 'why' },
  release: { kind: 'release', why: 'why' },
  await: { kind: 'await', output: 'so far', why: 'why' },
  pause: { kind: 'pause', by: 'person', until: null, why: 'why' },
  resume: { kind: 'resume', why: 'why' },
  complete: { kind: 'complete', finishedBy: 'agent', output: 'out', why: 'why' },
  fail: { kind: 'fail', finishedBy: 'agent', failureClass: 'agent', failureReason: 'no', output: null, why: 'why' },
  cancel: { kind: 'cancel', why: 'why' },
  retry: { kind: 'retry', until: null, why: 'why' },
  revive: { kind: 'revive', why: 'why' },
}

/** A task as it stands in each status. */
const AT: Readonly<Record<TaskStatus, TaskRow>> = {
  backlog: taskRow({ status: 'backlog' }),
  unassigned: taskRow(),
  pending: taskRow({ status: 'pending', agentKey: WORKER, assignedBy: 'caller' }),
  in_progress: taskRow({ status: 'in_progress', agentKey: WORKER, assignedBy: 'claim', attemptCount: 1 }),
  paused: taskRow({ status: 'paused', pausedBy: 'shutdown', agentKey: WORKER, assignedBy: 'claim', attemptCount: 1 }),
  completed: taskRow({ status: 'completed', finishedBy: 'agent', finishedAt: 1 }),
  failed: taskRow({ status: 'failed', finishedBy: 'system', failureClass: 'dependency_failed', finishedAt: 1 }),
  cancelled: taskRow({ status: 'cancelled', finishedAt: 1 }),
}

/** Where each move leads from each status; what is not named is refused. */
const LEADS: Readonly<Record<MoveKind, Partial<Record<TaskStatus, TaskStatus>>>> = {
  queue: { backlog: 'unassigned' },
  shelve: { unassigned: 'backlog', pending: 'backlog', paused: 'backlog' },
  place: { unassigned: 'unassigned', pending: 'pending' },
  claim: { unassigned: 'in_progress', pending: 'in_progress' },
  park: { in_progress: 'pending' },
  fall: { in_progress: 'pending' },
  lose: { in_progress: 'unassigned' },
  release: { in_progress: 'unassigned' },
  await: { in_progress: 'pending' },
  pause: { unassigned: 'paused', pending: 'paused', in_progress: 'paused', paused: 'paused' },
  resume: { paused: 'pending' },
  complete: {
    backlog: 'completed',
    unassigned: 'completed',
    pending: 'completed',
    in_progress: 'completed',
    paused: 'completed',
  },
  fail: { backlog: 'failed', unassigned: 'failed', pending: 'failed', in_progress: 'failed', paused: 'failed' },
  cancel: {
    backlog: 'cancelled',
    unassigned: 'cancelled',
    pending: 'cancelled',
    in_progress: 'cancelled',
    paused: 'cancelled',
  },
  retry: { failed: 'unassigned', cancelled: 'unassigned' },
  revive: { failed: 'unassigned' },
}

describe('every status and every move', () => {
  for (const status of TASK_STATUSES)
    for (const kind of Object.keys(MOVES) as MoveKind[]) {
      const to = LEADS[kind][status]
      test(`${status} ${kind} ${to === undefined ? 'is refused with a sentence' : `leads to ${to}`}`, () => {
        const moved = movedTask(AT[status], MOVES[kind], NOW)
        if (to === undefined) {
          expect(moved).toMatchObject({ refused: expect.stringContaining(AT[status].id) })
          expect(MOVES_FROM[kind]).not.toContain(status)
        } else {
          expect(moved).toMatchObject({ to, reason: expect.stringMatching(/^why/) })
          if (!isRefused(moved)) expect(moved.patch).toMatchObject({ status: to, reason: moved.reason })
        }
      })
    }
})

describe('the machine', () => {
  test('has a way out of every status but completed', () => {
    for (const status of TASK_STATUSES) {
      const out = (Object.keys(LEADS) as MoveKind[]).some((kind) => (LEADS[kind][status] ?? status) !== status)
      expect({ status, out }).toEqual({ status, out: status !== 'completed' })
    }
  })

  test('says what a waiting task waits for, most pressing first', () => {
    const place = (changes: Partial<TaskRow>, isParentBusy = false) => {
      const moved = movedTask(taskRow(changes), { kind: 'place', why: 'w', isParentBusy }, NOW)
      return isRefused(moved) ? moved : [moved.to, moved.patch.waitingFor, moved.reason]
    }
    const later = NOW + 60_000
    expect(place({ unmetCount: 2, notBefore: later }, true)).toEqual([
      'pending',
      'dependency',
      'w; waits for 2 tasks that it depends on',
    ])
    expect(place({ unmetCount: 1 })).toEqual(['pending', 'dependency', 'w; waits for a task that it depends on'])
    expect(place({ notBefore: later }, true)).toEqual([
      'pending',
      'parent',
      'w; waits for its parent, which is in progress',
    ])
    expect(place({ notBefore: later })).toEqual(['pending', 'time', 'w; waits until 1970-01-01T00:17:40.000Z'])
    expect(place({ notBefore: NOW })).toEqual(['unassigned', null, 'w; queued'])
    expect(place({ agentKey: WORKER })).toEqual(['pending', null, 'w; waits for its agent'])
  })

  test('refuses a claim of what waits or is another agent’s', () => {
    const claim = (changes: Partial<TaskRow>) => isRefused(movedTask(taskRow(changes), MOVES.claim, NOW))
    expect(claim({ status: 'pending', unmetCount: 1, waitingFor: 'dependency' })).toBe(true)
    expect(claim({ status: 'pending', waitingFor: 'parent' })).toBe(true)
    expect(claim({ status: 'pending', waitingFor: 'retry', notBefore: NOW + 1 })).toBe(true)
    expect(claim({ status: 'pending', agentKey: agentKey(8), assignedBy: 'caller' })).toBe(true)
    expect(claim({ status: 'pending', agentKey: WORKER, assignedBy: 'caller' })).toBe(false)
    expect(claim({ status: 'pending', notBefore: NOW - 1 })).toBe(false)
  })

  test('sends a lost task back to the pool, but not to another than the one that somebody chose', () => {
    const lose = (assignedBy: TaskRow['assignedBy'], keepAgent: boolean) => {
      const moved = movedTask({ ...AT.in_progress, assignedBy }, { kind: 'lose', keepAgent, why: 'w' }, NOW)
      return isRefused(moved) ? moved : [moved.to, moved.patch.agentKey, moved.patch.assignedBy, moved.patch.triesUsed]
    }
    expect(lose('claim', false)).toEqual(['unassigned', null, null, undefined])
    expect(lose('affinity', false)).toEqual(['unassigned', null, null, undefined])
    expect(lose('caller', false)).toEqual(['pending', WORKER, 'caller', undefined])
    expect(lose('claim', true)).toEqual(['pending', WORKER, 'affinity', undefined])
  })

  test('fails a task by which worker after worker vanishes, and starts counting anew after any other end', () => {
    const often = { ...AT.in_progress, lostCount: MAX_LOST_IN_A_ROW - 1 }
    expect(movedTask(often, MOVES.lose, NOW)).toMatchObject({ to: 'failed', patch: { failureClass: 'lease_lost' } })
    expect(movedTask(often, MOVES.park, NOW)).toMatchObject({ patch: { lostCount: 0 } })
    expect(movedTask(often, MOVES.release, NOW)).toMatchObject({ patch: { lostCount: 0 } })
  })

  test('keeps a paused task with the agent that has its conversation', () => {
    expect(movedTask(AT.in_progress, MOVES.pause, NOW)).toMatchObject({
      patch: { agentKey: WORKER, assignedBy: 'affinity', pausedBy: 'person' },
    })
  })

  test('lets a person take over a pause of a shutdown or a limit, and nobody that of a person', () => {
    const byPerson = { ...AT.paused, pausedBy: 'person' as const }
    expect(movedTask(AT.paused, MOVES.pause, NOW)).toMatchObject({ patch: { pausedBy: 'person' } })
    expect(isRefused(movedTask(byPerson, MOVES.pause, NOW))).toBe(true)
    expect(isRefused(movedTask(byPerson, { kind: 'pause', by: 'shutdown', until: null, why: '' }, NOW))).toBe(true)
  })

  test('holds a limit’s pause to its time and forgets that with the pause', () => {
    const limit = movedTask(AT.in_progress, { kind: 'pause', by: 'limit', until: NOW + 5, why: 'w' }, NOW)
    expect(limit).toMatchObject({ to: 'paused', patch: { pausedBy: 'limit', waitingFor: 'limit', notBefore: NOW + 5 } })
    const task = { ...AT.in_progress, ...(isRefused(limit) ? {} : limit.patch) }
    expect(movedTask(task, MOVES.resume, NOW)).toMatchObject({
      to: 'pending',
      patch: { notBefore: null, waitingFor: null },
    })
  })

  test('begins anew with a retry, and keeps the conversation', () => {
    const own = sessionId('00000000-0000-4000-8000-000000000000')
    const failed = taskRow({
      status: 'failed',
      failureClass: 'crash',
      failureReason: 'no',
      finishedBy: 'runner',
      finishedAt: 5,
      triesUsed: 3,
      lostCount: 4,
      attemptCount: 3,
      lastSessionId: own,
      output: 'half',
    })
    const moved = movedTask(failed, MOVES.retry, NOW)
    if (isRefused(moved)) throw new Error(moved.refused)
    expect(moved.patch).toMatchObject({
      status: 'unassigned',
      triesUsed: 0,
      lostCount: 0,
      failureClass: null,
      failureReason: null,
      finishedBy: null,
      finishedAt: null,
      output: null,
    })
    expect(Object.keys(moved.patch)).not.toContain('lastSessionId')
    expect(Object.keys(moved.patch)).not.toContain('attemptCount')
  })

  test('revives only what failed by its dependencies', () => {
    expect(isRefused(movedTask({ ...AT.failed, failureClass: 'crash' }, MOVES.revive, NOW))).toBe(true)
  })

  test('never leaves a waiting field behind, whatever a task looked like', () => {
    const tasks = fc.record({
      status: fc.constantFrom(...TASK_STATUSES),
      agentKey: fc.constantFrom(null, WORKER),
      assignedBy: fc.constantFrom(null, 'caller', 'affinity', 'offer', 'claim'),
      unmetCount: fc.nat(2),
      notBefore: fc.constantFrom(null, NOW - 1, NOW + 1),
      waitingFor: fc.constantFrom(null, 'dependency', 'parent', 'retry', 'limit', 'time'),
      pausedBy: fc.constantFrom(null, 'person', 'shutdown', 'limit'),
      lostCount: fc.nat(20),
    }) as fc.Arbitrary<Partial<TaskRow>>
    fc.assert(
      fc.property(tasks, fc.constantFrom(...Object.values(MOVES)), (changes, move) => {
        const task = taskRow(changes)
        const moved = movedTask(task, move, NOW)
        if (isRefused(moved)) return moved.refused.length > 0
        const after = { ...task, ...moved.patch }
        if (isFinal(after.status))
          return after.waitingFor === null && after.notBefore === null && after.finishedAt === NOW
        if (after.status === 'in_progress') return after.waitingFor === null && after.agentKey !== null
        if (after.status === 'paused') return after.pausedBy !== null
        if (after.status === 'unassigned') return after.agentKey === null && after.waitingFor === null
        if (after.status === 'pending') return after.agentKey !== null || after.waitingFor !== null
        return true
      }),
      { numRuns: 3_000 },
    )
  })
})
