import { describe, expect, test } from 'bun:test'
import type { SessionId, TaskId } from '#domain/ids'
import { SHOWN_TASK_STATUSES } from '#domain/task/task'
import { possibleMoves, taskOpening } from './task-actions'

describe('the moves of a task', () => {
  test('are those that its status allows', () => {
    const moves = Object.fromEntries(
      SHOWN_TASK_STATUSES.map((status) => [status, possibleMoves({ status, pausedBy: null })]),
    )
    expect(moves).toEqual({
      backlog: ['queue', 'cancel'],
      unassigned: ['pause', 'cancel'],
      pending: ['pause', 'cancel'],
      offered: ['pause', 'cancel'],
      in_progress: ['pause', 'cancel'],
      waiting: ['pause', 'cancel'],
      paused: ['resume', 'pause', 'cancel'],
      completed: [],
      failed: ['retry'],
      cancelled: ['retry'],
    })
  })

  test('leave out a pause that a person made already', () => {
    expect(possibleMoves({ status: 'paused', pausedBy: 'person' })).toEqual(['resume', 'cancel'])
    expect(possibleMoves({ status: 'paused', pausedBy: 'limit' })).toEqual(['resume', 'pause', 'cancel'])
  })
})

describe('the conversation of a task', () => {
  const id = 't-7f3k9q2m' as TaskId
  const claudeSessionId = '73f3a52b-71f2-4819-9c04-82ad9a022ade' as SessionId

  test('is opened by a command once nobody is at work', () => {
    for (const status of ['completed', 'failed', 'paused', 'cancelled', 'backlog'] as const)
      expect(taskOpening({ id, status, claudeSessionId }, [])).toEqual({
        canOpen: true,
        command: 'lode task open t-7f3k9q2m',
      })
  })

  test('is not opened while an attempt is live, before the first one, or when a worker may take it', () => {
    const live = { isLive: true, number: 2, agentName: 'w1' }
    expect(taskOpening({ id, status: 'in_progress', claudeSessionId }, [live])).toMatchObject({
      canOpen: false,
      why: expect.stringContaining('attempt 2, by w1'),
      command: 'lode task pause t-7f3k9q2m',
    })
    expect(taskOpening({ id, status: 'unassigned', claudeSessionId: null }, [])).toMatchObject({
      command: 'lode run --task t-7f3k9q2m',
    })
    expect(taskOpening({ id, status: 'pending', claudeSessionId }, [])).toMatchObject({ canOpen: false })
  })
})
