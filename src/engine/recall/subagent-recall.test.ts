import { expect, test } from 'bun:test'
import { sessionId, subagentId } from '../../domain/ids'
import { subagentRecall } from './subagent-recall'

const SESSION = sessionId('3f2a9c1e-0000-4000-8000-000000000001')
const SUBAGENT = subagentId('a1b2c3')

/** A record that has the sub-agent from a look on. */
const recordedAt = (look: number) => {
  let looks = 0
  return { subagent: async () => (++looks < look ? undefined : { type: null, prompt: 'Count the stones', todos: [] }) }
}

test('a sub-agent that is recorded a moment later is waited for, unless somebody only looks', async () => {
  expect(await subagentRecall(recordedAt(3), SESSION, SUBAGENT)).toContain('Count the stones')
  expect(await subagentRecall(recordedAt(2), SESSION, SUBAGENT, 0)).toBe('')
})

test('nothing is said of a sub-agent that is not recorded in time', async () => {
  expect(await subagentRecall(recordedAt(Number.POSITIVE_INFINITY), SESSION, SUBAGENT, 1)).toBe('')
})
