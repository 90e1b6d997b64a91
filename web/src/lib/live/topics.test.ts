import { expect, test } from 'bun:test'
import type { FeedKind } from '#domain/feed'
import type { FeedSeq } from '#domain/ids'
import { QUIET_MS, type StaleKey, staleBy, TOPICS } from './topics'

const entry = (kind: FeedKind, data: Record<string, unknown>) =>
  staleBy({ seq: 1 as FeedSeq, at: '2026-11-22T10:00:00.000Z', kind, sessionId: null, data })

test("lines of a task's log make the log old and nothing else", () => {
  expect(entry('task.updated', { taskId: 't-7f3k9q2m', attemptId: 't-7f3k9q2m.1', log: 3 })).toEqual([
    ['log', 't-7f3k9q2m'],
  ])
})

test('what else happens to a task makes its page, its log and the lists old', () => {
  for (const kind of ['task.created', 'task.moved', 'task.updated', 'attempt.updated'] as const) {
    const stale = entry(kind, { taskId: 't-7f3k9q2m' })
    expect(stale).toContainEqual(['task', 't-7f3k9q2m'])
    expect(stale).toContainEqual(['log', 't-7f3k9q2m'])
    expect(stale).toContainEqual(['tasks'])
  }
})

test('what is recorded of tasks is old when a conversation goes on, or an attempt tells which it has, and not by a log', () => {
  for (const kind of ['events.recorded', 'session.created', 'session.forgotten', 'attempt.updated'] as const)
    expect(entry(kind, { taskId: 't-7f3k9q2m' })).toContainEqual(['task-costs'])
  for (const kind of ['task.moved', 'message.updated', 'session.updated'] as const)
    expect(entry(kind, { taskId: 't-7f3k9q2m' })).not.toContainEqual(['task-costs'])
  expect(QUIET_MS['task-costs']).toBeGreaterThanOrEqual(1_000)
})

test('lists of issues are old when a task begins or ends its work, and not by all else that happens to it', () => {
  const list: StaleKey = ['issues', 'list']
  const task = { taskId: 't-7f3k9q2m' }
  expect(entry('task.moved', { ...task, from: 'unassigned', to: 'in_progress' })).toContainEqual(list)
  expect(entry('task.moved', { ...task, from: 'in_progress', to: 'completed' })).toContainEqual(list)
  expect(entry('task.updated', { ...task, fields: ['issueId'] })).toContainEqual(list)
  expect(entry('task.moved', { ...task, from: 'unassigned', to: 'cancelled' })).not.toContainEqual(list)
  expect(entry('task.updated', { ...task, progress: 'half of it' })).not.toContainEqual(list)
})

test('a question makes every list old that shows the status of its task, and what is dismissed the tree', () => {
  for (const topic of ['tasks', 'fleet', 'tree', 'overview'] as const)
    expect(entry('question.updated', { taskId: 't-7f3k9q2m' })).toContainEqual([topic])
  expect(entry('need.dismissed', {})).toContainEqual(['tree'])
})

test('every topic says how often it is asked for', () => {
  for (const topic of TOPICS) expect(QUIET_MS[topic]).toBeGreaterThan(0)
})
