import { expect, test } from 'bun:test'
import { issueId, sessionId, subagentId, todoId } from '../../domain/ids'
import { NOW } from '../kit/fake-io'
import { width } from '../print/text'
import { secondsAgo, session, todo } from './fixtures'
import { type SessionTodos, sessionTodosView, spelledAge } from './todo-list-view'

const WIDE = { now: NOW, columns: 0 }
const list = (changes: Partial<SessionTodos> = {}): SessionTodos => ({
  sessionId: sessionId('abc123'),
  title: null,
  agent: 'claude-code',
  status: 'running',
  statusEvidence: null,
  issues: [],
  suggestion: null,
  startedAt: secondsAgo(3_600),
  lastEventAt: null,
  lastSyncAt: secondsAgo(130),
  endedAt: null,
  leftOutCount: 0,
  progress: { completed: 1, inProgress: 1, total: 4 },
  todos: [],
  ...changes,
})

test('a list has a line for each item, the main thread first, and words for what marks do not say', () => {
  const todos = [
    todo({ id: todoId('s'), subagentId: subagentId('a1'), content: 'Look around' }),
    todo({ id: todoId('1'), content: 'Read', status: 'completed' }),
    todo({ id: todoId('2'), status: 'in_progress' }),
    todo({ id: todoId('3'), content: 'Ship', leftOpen: true, promotedTo: issueId('ld-2') }),
    todo({ id: todoId('4'), content: 'Old', status: 'removed' }),
    todo({ id: todoId('5'), content: 'Given', sessionId: session().id, takenBy: sessionId('abc123') }),
  ]
  const evidence = [{ source: 'prompt' as const, place: 'u', at: secondsAgo(1) }]
  const issues = [{ id: issueId('ld-1'), title: 'Log in', status: 'open', evidence }]
  expect(sessionTodosView(list({ issues, todos }), WIDE)).toBe(
    [
      'Session abc123 → ld-1 "Log in" (by its prompt)',
      'Last sync: 2 minutes ago',
      '',
      '  ✓ Read',
      '  → Writing tests',
      '  ○ Ship (left open; is ld-2)',
      '  ✗ Old (removed)',
      `  ○ Given (from session ${session().id})`,
      '  Sub-agent a1:',
      '    ○ Look around',
      '',
      'Progress: 1/4 completed, 1 in progress',
      '',
    ].join('\n'),
  )
})

test('without a link it says so, and offers the one issue that was looked at', () => {
  const view = sessionTodosView(list({ suggestion: { id: issueId('ld-9'), title: 'Docs' }, lastSyncAt: null }), WIDE)
  expect(view).toStartWith(
    'Session abc123 (not linked)\nThis session viewed only one issue. To link it: lode todo link ld-9 ("Docs")\nLast sync: never\n',
  )
})

test('lines fit the terminal, and ages are words', () => {
  const view = sessionTodosView(list({ todos: [todo({ content: '長い'.repeat(80) })] }), { now: NOW, columns: 60 })
  for (const line of view.split('\n')) expect(width(line)).toBeLessThanOrEqual(60)
  expect([0, 1, 59, 60, 7_200, 90_000].map((seconds) => spelledAge(secondsAgo(seconds), NOW))).toEqual([
    'just now',
    '1 second ago',
    '59 seconds ago',
    '1 minute ago',
    '2 hours ago',
    '1 day ago',
  ])
})
