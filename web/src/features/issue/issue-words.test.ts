import { expect, test } from 'bun:test'
import { historyWords } from './issue-words'

const said = (event: string, old: Record<string, unknown> | null, now: Record<string, unknown> | null) =>
  historyWords({ event, old, new: now })

test('a change says what was and what is; long texts are named only', () => {
  expect(said('updated', { priority: 2, status: 'open' }, { priority: 0, status: 'in_progress', startedAt: 'x' })).toBe(
    'priority: P2 → P0; status: open → in_progress',
  )
  expect(said('updated', { description: 'a' }, { description: 'b' })).toBe('rewrote the description')
  expect(said('updated', { labels: ['a', 'b'] }, { labels: ['b', 'c'] })).toBe('labels: +c −a')
  expect(said('updated', { assignee: 'ann' }, { assignee: null })).toBe('assignee: ann → none')
})

test('an end says how it ended', () => {
  expect(said('closed', null, { closeReason: 'it works' })).toBe('closed it: it works')
  expect(said('closed', null, { closeReason: 'Closed' })).toBe('closed it')
  expect(said('dispatched', null, { taskId: 't-1' })).toBe('dispatched it as task t-1')
})

test('what a later version tells is told in its own words', () => {
  expect(said('dependency_added', null, { dependsOnId: 'ld-2' })).toBe('dependency added ld-2')
  expect(said('was_polished', null, null)).toBe('was polished')
})
