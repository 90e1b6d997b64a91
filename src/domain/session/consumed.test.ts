import { expect, test } from 'bun:test'
import { answerConsumedBy, type ChainedLine, consumedBy } from './consumed'

const line = (uuid: string, parentUuid: string | null, at: number, isModel = false): ChainedLine => ({
  uuid,
  parentUuid,
  isModel,
  at,
})

test('a notice is read by the line of the model that follows on its branch, whatever stands between and in whatever order', () => {
  const lines = [line('model', 'beside', 12, true), line('beside', 'notice', 9), line('other', 'elsewhere', 8, true)]
  expect(consumedBy('notice', lines)?.uuid).toBe('model')
  expect(consumedBy('notice', [...lines].reverse())?.uuid).toBe('model')
  expect(consumedBy('notice', lines.slice(1))).toBeNull()
})

test('of calls made at once the model goes on from one answer, and has read all', () => {
  const calls = [line('call-2', 'call-1', 1, true), line('call-3', 'call-2', 2, true)]
  const answers = [line('answer-2', 'call-2', 5), line('answer-1', 'call-1', 6), line('answer-3', 'call-3', 7)]
  const next = line('next', 'answer-3', 8, true)
  for (const answer of answers)
    expect(answerConsumedBy('call-1', answer, [...calls, ...answers, next])?.uuid).toBe('next')
  // Not by the other calls of the same message, nor before it stood there.
  for (const answer of answers) expect(answerConsumedBy('call-1', answer, [...calls, ...answers])).toBeNull()
  const late = line('answer-3', 'call-3', 9)
  expect(
    answerConsumedBy('call-1', late, [...calls, ...answers.slice(0, 2), line('next', 'answer-1', 8, true)]),
  ).toBeNull()
})
