import { expect, test } from 'bun:test'
import { taskId } from '../../domain/ids'
import type { Need } from '../../domain/overview/overview'
import { needCounts, needList } from './need-views'

const NOW = Date.UTC(2026, 0, 2)
const need = (row: Partial<Need> = {}): Need => ({
  id: 'failure:t-1:1',
  kind: 'failure',
  since: '2026-01-01T23:55:00.000Z',
  title: 'Build it',
  text: 'it broke',
  isCut: false,
  evidence: 'attempt 1 failed',
  project: null,
  taskId: taskId('t-1'),
  sessionId: null,
  issueId: null,
  subagentId: null,
  inboxId: null,
  messageId: null,
  question: null,
  failureClass: 'crash',
  command: 'lode task retry t-1',
  canDismiss: true,
  cause: null,
  snoozedUntil: null,
  ...row,
})

test('each need is two lines: what it is, and what to type', () => {
  const text = needList([need(), need({ command: null, text: '' })], { failure: 2 }, { now: NOW, columns: 0 })
  expect(text).toBe(
    'failure      5m  Build it: it broke\n                 lode task retry t-1\nfailure      5m  Build it\n',
  )
})

test('what is not shown is counted, and lines end with the terminal', () => {
  const needs = Array.from({ length: 30 }, () => need({ title: 'x'.repeat(300) }))
  const lines = needList(needs, { failure: 45 }, { now: NOW, columns: 60 }).trimEnd().split('\n')
  expect(lines.at(-1)).toBe("and 35 more; 'lode status --json' lists the first 200")
  expect(lines.slice(0, -1).every((line) => line.length <= 60)).toBe(true)
  expect(needCounts({ question: 1, failure: 2, lost: 3 })).toBe('6 (1 question, 2 failed tasks, 3 lost)')
  expect(needCounts({})).toBe(null)
})

test('what agents and strangers wrote moves no cursor', () => {
  const hostile = '\u001b[2J\u0007\r\nroot\u202e#'
  const text = needList([need({ title: hostile, text: hostile, command: hostile })], {}, { now: NOW, columns: 80 })
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
})
