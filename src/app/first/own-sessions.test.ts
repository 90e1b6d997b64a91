import { expect, test } from 'bun:test'
import type { FoundAgent } from './found-agents'
import { sessionsSentence } from './own-sessions'

const agent = (sessions: number | null, isWhole = true): FoundAgent => ({
  title: 'Claude Code',
  program: 'claude',
  hasHooks: true,
  folder: '/home/me/.claude',
  sessions,
  bytes: 1,
  newestAt: 1,
  isWhole,
})

test('a person is told how many sessions are here, and that it may be more, or nothing', () => {
  expect(sessionsSentence([agent(1_200), agent(4)], 'lode')).toBe(
    '1,204 sessions of yours are on this machine: lode up  records them\n',
  )
  expect(sessionsSentence([agent(1)], 'bin/lode')).toBe(
    '1 session of yours is on this machine: bin/lode up  records it\n',
  )
  expect(sessionsSentence([agent(5), agent(null)], 'lode')).toStartWith('At least 5 sessions')
  expect(sessionsSentence([agent(5, false)], 'lode')).toStartWith('At least 5 sessions')
  expect(sessionsSentence([agent(null)], 'lode')).toBe('')
  expect(sessionsSentence([], 'lode')).toBe('')
})
