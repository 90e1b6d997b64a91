import { expect, test } from 'bun:test'
import { subagentId } from '../ids'
import type { Subagent } from '../session/session'
import { firstAgents } from './first-agents'

const agent = (id: string, status: Subagent['status'], minute: number | null, parent: string | null = null) => ({
  id: subagentId(id),
  parentId: parent === null ? null : subagentId(parent),
  status,
  startedAt: minute === null ? null : new Date(minute * 60_000).toISOString(),
})
const ids = (agents: readonly { id: string }[]) => agents.map(({ id }) => id).join(' ')

test('those at work come first, then the newest; one that is named comes with those that led to it', () => {
  const all = [
    agent('root', 'completed', 1),
    agent('child', 'completed', 2, 'root'),
    agent('leaf', 'completed', 3, 'child'),
    agent('old', 'running', 0),
    agent('new', 'failed', 9),
    agent('newer', 'running', 8),
    agent('unknown', 'unknown', null, 'nobody'),
  ]
  expect(ids(firstAgents(all, 3))).toBe('newer old new')
  expect(ids(firstAgents(all, 3, subagentId('leaf')))).toBe('newer old new leaf child root')
  expect(ids(firstAgents(all, 3, subagentId('new')))).toBe('newer old new')
  expect(ids(firstAgents(all, 3, subagentId('unknown')))).toBe('newer old new unknown')
  expect(ids(firstAgents(all, 3, subagentId('nobody')))).toBe('newer old new')
  expect(firstAgents(all, 7)).toEqual(all)
})

test('a circle of parents ends', () => {
  const all = [agent('a', 'completed', 1, 'b'), agent('b', 'completed', 2, 'a'), agent('c', 'completed', 3)]
  expect(ids(firstAgents(all, 1, subagentId('a')))).toBe('c a b')
})
