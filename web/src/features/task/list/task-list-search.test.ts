import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { FINAL_TASK_STATUSES, SHOWN_TASK_STATUSES } from '#domain/task/task'
import { parseSearch } from '../../../lib/search'
import { parseTaskListSearch, TASK_GROUPS, TASK_NARROWINGS, taskFilter, taskListPath } from './task-list-search'

test('what a list of tasks shows stands in its address and comes back from it', () => {
  const text = fc.string({ minLength: 1, maxLength: 200 }).filter((one) => one.isWellFormed())
  const words = Object.fromEntries([...TASK_NARROWINGS, 'q'].map((name) => [name, text]))
  const search = fc.record(
    {
      ...words,
      status: fc.constantFrom('live' as const, 'waiting' as const, 'failed' as const, 'done' as const),
      order: fc.constant('queue' as const),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(search, (one) => {
      const url = new URL(taskListPath(one), 'http://127.0.0.1')
      expect(parseTaskListSearch(parseSearch(url.search))).toEqual(one)
    }),
  )
})

test('words that no list knows are left out', () => {
  expect(parseTaskListSearch(parseSearch('?status=gone&order=oldest&q=&colour=red'))).toEqual({})
})

test('every status is in one group', () => {
  const grouped = Object.values(TASK_GROUPS).flat()
  expect([...grouped].sort()).toEqual([...SHOWN_TASK_STATUSES].sort())
  const over: readonly string[] = [...TASK_GROUPS.failed, ...TASK_GROUPS.done]
  expect([...over].sort()).toEqual([...FINAL_TASK_STATUSES].sort())
})

test('asks for all without a group, and for what can be taken in the order of the queue', () => {
  expect(taskFilter({})).toEqual({})
  expect(taskFilter({ order: 'queue' })).toEqual({ order: 'queue', status: ['unassigned', 'offered', 'pending'] })
  expect(taskFilter({ order: 'queue', status: 'failed' })).toEqual({ order: 'queue', status: ['failed'] })
  expect(taskFilter({ status: 'live', q: 'ship', parent: 't-7f3k', agent: 'w1', cli: 'codex', type: 'chore' })).toEqual(
    {
      status: ['in_progress', 'waiting'],
      text: 'ship',
      parentTaskId: 't-7f3k',
      agentId: 'w1',
      agent: 'codex',
      taskType: 'chore',
    },
  )
})
