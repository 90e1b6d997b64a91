import { expect, test } from 'bun:test'
import { addCosts, type Cost, costOf, NO_COST } from './price'
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
  statedNanoUsd: 0,
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
    expect([model, costOf(output(model))]).toEqual([model, { costUsd, isEstimate: true }])
  }
})

test('a model on the list is no estimate, and one of no known family has no price, not 0', () => {
  expect(costOf(output('claude-opus-5-5'))).toEqual({ costUsd: 20, isEstimate: false })
  for (const model of ['gpt-99', 'opus', '', '<synthetic>', 'claude-nova-3', 'claude-opusx-3', 'x'.repeat(1_000_000)])
    expect(costOf(output(model))).toEqual({ costUsd: null, isEstimate: false })
})

test('a sum is of what has a price, is marked where something has none or an estimate, and is the same in every order', () => {
  const exact: Cost = { costUsd: 2, isEstimate: false }
  const estimate: Cost = { costUsd: 1, isEstimate: true }
  const unknown: Cost = { costUsd: null, isEstimate: false }
  const sum = (...costs: Cost[]) => costs.reduce(addCosts, NO_COST)
  expect(sum()).toEqual({ costUsd: 0, isEstimate: false })
  expect(sum(exact, exact)).toEqual({ costUsd: 4, isEstimate: false })
  expect(sum(unknown, unknown)).toEqual(unknown)
  for (const costs of [
    [exact, estimate],
    [estimate, exact],
  ])
    expect(sum(...costs)).toEqual({ costUsd: 3, isEstimate: true })
  for (const costs of [
    [exact, unknown, NO_COST],
    [unknown, NO_COST, exact],
    [NO_COST, exact, unknown],
  ])
    expect(sum(...costs)).toEqual({ costUsd: 2, isEstimate: true })
})
