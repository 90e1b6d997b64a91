import { expect, test } from 'bun:test'
import { DEFAULT_RETRY_POLICY, FAILURE_CLASSES } from '#domain/task/task'
import { continuityWords, failureAdvice, folderName, retryWords, statusDetail, whyNotWords } from './task-words'

test('a status says what it waits for, or who paused it', () => {
  expect(statusDetail({ status: 'pending', pausedBy: null, waitingFor: 'dependency' })).toBe('for other tasks')
  expect(statusDetail({ status: 'paused', pausedBy: 'limit', waitingFor: 'limit' })).toBe('by a limit')
  expect(statusDetail({ status: 'failed', pausedBy: null, waitingFor: null })).toBeNull()
})

test('every failure has an advice of its own words', () => {
  for (const failureClass of [...FAILURE_CLASSES, null])
    expect(failureAdvice(failureClass, 't-7f3k9q2m').text).toMatch(/^[A-Z].+\.$/)
  expect(failureAdvice('cost_limit', 't-7f3k9q2m').command).toBe('lode task edit t-7f3k9q2m --max-cost USD')
})

test('attempts are told with the delays between them', () => {
  expect(retryWords({ retryPolicy: DEFAULT_RETRY_POLICY })).toBe('3 attempts at most, 1 s apart, ×2 up to 1 min')
  expect(retryWords({ retryPolicy: { ...DEFAULT_RETRY_POLICY, maximumAttempts: 1 } })).toBe('1 attempt at most')
})

test('reasons without words for people are read as words', () => {
  expect(whyNotWords({ rung: 'native', reason: 'parent_not_found', detail: null })).toBe('parent not found')
  expect(whyNotWords({ rung: 'native', reason: 'x', detail: 'the transcript is gone' })).toBe('the transcript is gone')
  expect(continuityWords({ continuity: 'continue', continueNow: true })).toContain('last finished turn')
})

test('a project is called by the end of its folder', () => {
  expect([folderName('/home/mara/shop/'), folderName('shop'), folderName('/')]).toEqual(['shop', 'shop', '/'])
})
