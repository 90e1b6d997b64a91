import { expect, test } from 'bun:test'
import { issueId } from '../ids'
import { normalEdgeType, parentsOf } from './issue-edges'
import { epicProgress } from './issue-epic'
import { depthOf, isIssueId, matchIssueIds, nextChildId, parentIdOf } from './issue-id'
import { parsePriority } from './issue-priority'
import { BUILT_IN_STATUSES, parseCustomStatus, statusCatalog } from './issue-status'
import { compareIssueTimes, issueTimeNanos } from './issue-time'
import { hashLength, newIssueId } from './new-issue-id'

test('hashes are as long as the birthday bound asks, at the same counts as in bd', () => {
  const steps = [163, 164, 983, 984, 5_898, 5_899, 35_389, 35_390]
  expect(steps.map((count) => hashLength(count, 3))).toEqual([3, 4, 4, 5, 5, 6, 6, 7])
  expect(hashLength(0)).toBe(4)
  expect(hashLength(50_000_000)).toBe(8)
})

test('an id that is taken gives the next nonce, ten taken ones the next length', () => {
  const seed = { title: 'a', description: '', creator: 'me', nanos: 1n }
  const taken = new Set<string>()
  const next = () => newIssueId('tea-rags', seed, 0, (id) => taken.has(id)) ?? ''
  for (let n = 0; n < 10; n++) {
    expect(next()).toMatch(/^tea-rags-[0-9a-z]{4}$/)
    taken.add(next())
  }
  expect(next()).toMatch(/^tea-rags-[0-9a-z]{5}$/)
  expect(newIssueId('x', seed, 0, () => true)).toBeNull()
})

test('children count upwards, are never given again, and end three levels down', () => {
  expect(nextChildId(issueId('x-1'), ['x-1.1', 'x-1.9.4', 'x-10.30', 'x-1.x']) as string).toBe('x-1.10')
  expect(nextChildId(issueId('x-1.1.1'), []) as string).toBe('x-1.1.1.1')
  expect(nextChildId(issueId('x-1.1.1.1'), [])).toBeNull()
  expect([parentIdOf('x-1.2.3'), parentIdOf('x-1')] as unknown[]).toEqual(['x-1.2', null])
  expect(depthOf('a.b-c.1.2')).toBe(2)
})

test('a part of an id means the issues that it fits, the exact one first', () => {
  const ids = ['my-app-k3f', 'my-app-k3f.1', 'my-app-k3fx', 'other-zz'].map(issueId)
  expect(matchIssueIds('my-app-k3f', ids).join()).toBe('my-app-k3f')
  expect(matchIssueIds('k3f', ids).join()).toBe('my-app-k3f')
  expect(matchIssueIds('k3', ids)).toHaveLength(3)
  expect(matchIssueIds('zz', ids).join()).toBe('other-zz')
  expect(['../x', 'a/b', '', 'a\0', '-x', 'a b', 'a'.repeat(300)].filter(isIssueId)).toEqual([])
})

test('priorities are read as digits and with a P', () => {
  expect(['0', 'P0', 'p4', ' 2 ', '5', 'P', 'high', ''].map(parsePriority)).toEqual([
    0,
    0,
    4,
    2,
    null,
    null,
    null,
    null,
  ])
})

test('custom statuses have a category, and no name twice', () => {
  const catalog = statusCatalog([
    parseCustomStatus('review:wip'),
    parseCustomStatus('shipped:done'),
    parseCustomStatus('odd'),
  ])
  expect([catalog.categoryOf('review'), catalog.categoryOf('odd'), catalog.categoryOf('open')]).toEqual([
    'wip',
    null,
    'active',
  ])
  expect([catalog.isDone('shipped'), catalog.isDone('closed'), BUILT_IN_STATUSES.isDone('shipped')]).toEqual([
    true,
    true,
    false,
  ])
  for (const wrong of ['open', 'Big', '']) expect(() => statusCatalog([{ name: wrong, category: null }])).toThrow()
  expect(() => parseCustomStatus('x:unknown')).toThrow()
})

test('times are ordered to the nanosecond and over offsets', () => {
  expect(issueTimeNanos('2026-01-01T02:00:00.000000001+02:00')).toBe(
    BigInt(Date.parse('2026-01-01T00:00:00Z')) * 1_000_000n + 1n,
  )
  expect(compareIssueTimes('2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000000001Z')).toBeLessThan(0)
  expect(compareIssueTimes('rubbish', '0001-01-01T00:00:00Z')).toBeLessThan(0)
  expect(['', 'yesterday', '2026-13-01T00:00:00Z', null].map(issueTimeNanos)).toEqual([null, null, null, null])
})

test('spellings of edges are read as what they mean; others are left alone', () => {
  const read = (type: string, from = 'x-1', to = 'x-2') => normalEdgeType(type, from, to)
  expect(['parent_child', 'child', 'blocked-by', 'blocks', 'my-own', 'tracks'].map((type) => read(type))).toEqual([
    'parent-child',
    'parent-child',
    'blocks',
    'blocks',
    'my-own',
    'tracks',
  ])
  expect(read('child', 'x-1', 'x-1.2')).toBe('child')
  expect([read('__proto__'), read('constructor')]).toEqual(['__proto__', 'constructor'])
  const child = { id: issueId('x-1.2'), dependencies: [{ type: 'parent-child', dependsOnId: issueId('x-9') }] }
  expect([parentsOf(child), parentsOf({ ...child, dependencies: [] })] as unknown[]).toEqual([['x-9'], ['x-1']])
})

test('an epic is eligible for closing when all its children are closed', () => {
  const one = (id: string, status: string, issueType = 'task') => ({
    id: issueId(id),
    status,
    issueType,
    dependencies: [],
  })
  const progress = epicProgress([
    one('e', 'open', 'epic'),
    one('e.1', 'closed'),
    one('e.2', 'open'),
    one('f', 'open', 'epic'),
    one('f.1', 'closed'),
  ])
  expect(
    progress.map(({ closedChildren, totalChildren, isEligibleForClose }) => [
      closedChildren,
      totalChildren,
      isEligibleForClose,
    ]),
  ).toEqual([
    [1, 2, false],
    [1, 1, true],
  ])
})
