import { expect, test } from 'bun:test'
import { costOf, estimateOf } from './price'
import type { ModelUsage } from './usage'

const output = (model: string): ModelUsage => ({
  model,
  messageCount: 1,
  inputTokens: 0,
  outputTokens: 1_000_000,
  cacheReadTokens: 0,
  cacheCreationTokens: 0,
  cacheCreation1hTokens: 0,
  webSearchCount: 0,
})

test('an unknown model of a known family costs what its nearest version costs, and is marked as an estimate', () => {
  for (const [model, costUsd] of [
    ['claude-haiku-5-5', 5],
    ['claude-haiku-7', 5],
    ['claude-haiku-7-20280101', 5],
    ['us.anthropic.claude-haiku-7-20280101-v1:0', 5],
    ['claude-haiku-7@20280101', 5],
    ['claude-opus-9', 20],
    ['claude-opus-4-9[1m]', 25],
    ['claude-3-6-sonnet', 15],
    ['claude-sonnet-6', 10],
    ['claude-fable-6', 50],
    ['claude-3-haiku', 4],
  ] as const) {
    expect([model, estimateOf(output(model))]).toEqual([model, { costUsd, isEstimate: true }])
    expect(costOf(output(model))).toBeNull()
  }
})

test('a model on the list is no estimate, and one of no known family has no price, not 0', () => {
  expect(estimateOf(output('claude-opus-5-5'))).toEqual({ costUsd: 20, isEstimate: false })
  for (const model of ['gpt-5', 'opus', '', '<synthetic>', 'claude-nova-3', 'claude-opusx-3', 'x'.repeat(1_000_000)])
    expect(estimateOf(output(model))).toBeNull()
})
