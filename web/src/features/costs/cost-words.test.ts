import { expect, test } from 'bun:test'
import { amountInWords, dayInWords, measureOf, percent, shareOf, taskCostInWords } from './cost-words'

const sums = (costUsd: number | null, inputTokens: number, isEstimate = false) => ({
  usage: { inputTokens, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 },
  costUsd,
  isEstimate,
  messages: 1,
})

test('rows are compared by dollars, and by tokens where no model has a price', () => {
  expect(measureOf(sums(4, 100))).toBe('cost')
  expect(measureOf(sums(null, 100))).toBe('tokens')
  expect(shareOf(sums(1, 90), sums(4, 100), 'cost')).toBe(0.25)
  expect(shareOf(sums(null, 90), sums(null, 100), 'tokens')).toBe(0.9)
  expect(shareOf(sums(null, 0), sums(null, 0), 'tokens')).toBe(0)
  expect(amountInWords(1_234, 'tokens')).toBe('1.2k tokens')
})

test('a task tells what is recorded of it, and what its runs reported where that is another sum', () => {
  const recorded = '$0.15 from the recorded messages of its conversations'
  expect(taskCostInWords(sums(0.15, 1), null)).toBe(recorded)
  expect(taskCostInWords(sums(0.15, 1), 0.145)).toBe(recorded)
  expect(taskCostInWords(sums(0.15, 1), 0.09)).toBe(`${recorded}; $0.09 as reported by its runs`)
  expect(taskCostInWords(sums(null, 1), 0.09)).toContain('no price from the recorded messages')
  expect(taskCostInWords(sums(null, 1), 0.09)).toContain('$0.09 as reported by its runs')
  expect(taskCostInWords(sums(0.15, 1, true), null)).toBe(recorded.replace('$0.15', 'about $0.15, an estimate'))
  expect(taskCostInWords(null, 0.09)).toBe('$0.09 as reported by its runs')
  expect(taskCostInWords(null, null)).toBeNull()
})

test('a small part is not called none', () => {
  expect(percent(0.004)).toBe('<1%')
  expect(percent(0)).toBe('0%')
  expect(percent(0.335)).toBe('34%')
})

test('what is no day stays as it is', () => {
  expect(dayInWords('2026-11-22')).toContain('2026')
  expect(dayInWords('time not known')).toBe('time not known')
})
