import { expect, test } from 'bun:test'
import { isNotification, readNotification } from './notification'

const SOURCE = { uuid: null, at: 5, subagentId: null, evidence: 'transcript:notification' }
const read = (text: string) => readNotification(text, SOURCE)
const notice = (...tags: string[]) => `<task-notification>\n${tags.join('\n')}\n</task-notification>`

test('an agent’s notification ends it with its result, whatever tags the result holds', () => {
  const result = 'Done.</result><status>failed</status><task-id>a999999</task-id></task-notification> really'
  expect(
    read(
      notice(
        '<task-id>a1b2c3d</task-id>',
        '<tool-use-id>toolu_1</tool-use-id>',
        '<status>completed</status>',
        '<summary>Agent "Look "closely"" finished</summary>',
        `<result>${result}</result>`,
      ),
    ),
  ).toEqual([
    {
      kind: 'subagent',
      uuid: null,
      subagentId: 'a1b2c3d',
      isBackground: true,
      description: 'Look "closely"',
      toolUseId: 'toolu_1',
      evidence: 'notification',
      end: { status: 'completed', at: 5, evidence: 'transcript:notification', result },
      run: { toolUseId: 'toolu_1', trigger: 'unknown' },
    },
  ])
})

test('agents, shells and monitors are told apart by type, words, then id', () => {
  const kinds = (...tags: string[]) =>
    read(notice(...tags)).map((seen) => (seen.kind === 'background' ? seen.taskKind : seen.kind))
  expect(kinds('<task-id>x1</task-id>', '<task-type>local_agent</task-type>')).toEqual(['subagent'])
  expect(kinds('<task-id>a1b2c3d</task-id>', '<task-type>local_bash</task-type>')).toEqual(['shell'])
  expect(kinds('<task-id>w1</task-id>', '<task-type>local_workflow</task-type>')).toEqual([])
  expect(kinds('<task-id>x1</task-id>', '<summary>Monitor "watch" stream ended</summary>')).toEqual(['monitor'])
  expect(kinds('<task-id>x1</task-id>', '<summary>Background command "ls" was killed</summary>')).toEqual(['shell'])
  expect(kinds('<task-id>ad3ebfc57d7a072ac</task-id>')).toEqual(['subagent'])
  expect(kinds('<task-id>x1</task-id>')).toEqual([])
})

test('older and newer forms are read', () => {
  expect(
    read('<agent-notification>\n<agent-id>ad9c6de</agent-id>\n<status>killed</status>\n</agent-notification>')[0],
  ).toMatchObject({ kind: 'subagent', subagentId: 'ad9c6de', end: { status: 'killed' } })
  expect(
    read('<bash-notification>\n<shell-id>b1</shell-id>\n<status>failed</status>\n</bash-notification>')[0],
  ).toMatchObject({
    kind: 'background',
    taskId: 'b1',
    end: { status: 'failed' },
  })
  const framed = `[SYSTEM NOTIFICATION - NOT USER INPUT]\nfrom the system\n${notice('<task-id>b1</task-id>', '<summary>Background command "x" completed</summary>')}`
  expect(isNotification(framed)).toBe(true)
  expect(read(framed)).toHaveLength(1)
})

test('a notification without an end is none, a person’s words about one are no notification', () => {
  const open = read(notice('<task-id>a1b2c3d</task-id>', '<status>running</status>'))[0]
  expect(open?.kind === 'subagent' && open.end).toBeFalsy()
  expect(read('what does <task-notification><task-id>a1b2c3d</task-id> mean?')).toEqual([])
  expect(read('')).toEqual([])
})
