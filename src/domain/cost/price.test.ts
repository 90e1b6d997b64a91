import { describe, expect, test } from 'bun:test'
import { costOf, isStatedCost } from './price'
import { type ModelUsage, statedNanoUsd } from './usage'

const usage = (model: string, counts: Partial<ModelUsage>): ModelUsage => ({
  model,
  messageCount: 1,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheCreationTokens: 0,
  cacheCreation1hTokens: 0,
  webSearchCount: 0,
  statedNanoUsd: 0,
  ...counts,
})

describe('costs agree with those that the CLI states in its recordings', () => {
  for (const [model, inputTokens, outputTokens, usd] of [
    ['claude-opus-5-5', 1_100, 220, 0.0088],
    ['claude-opus-5-5', 195_400, 100, 0.7836],
    ['claude-opus-4-8[1m]', 195_400, 100, 0.9795],
    ['claude-opus-4-8', 200, 40, 0.002],
    ['claude-sonnet-4-5-20250929', 900, 180, 0.0054],
    ['claude-haiku-4-5-20251001', 700, 140, 0.0014],
  ] as const) {
    test(`${model}: ${inputTokens} in and ${outputTokens} out are $${usd}`, () => {
      const cost = costOf(usage(model, { inputTokens, outputTokens }))
      expect(cost.costUsd).toBeCloseTo(usd, 10)
      expect(cost.isEstimate).toBe(false)
    })
  }
})

test('cache writes cost 1.25 times the input for five minutes and twice for an hour, reads a tenth', () => {
  const million = 1_000_000
  const cost = (counts: Partial<ModelUsage>) => costOf(usage('claude-sonnet-4-5', counts)).costUsd
  expect(cost({ cacheCreationTokens: million })).toBeCloseTo(3.75, 10)
  expect(cost({ cacheCreationTokens: million, cacheCreation1hTokens: million })).toBeCloseTo(6, 10)
  expect(cost({ cacheCreationTokens: million, cacheCreation1hTokens: million / 2 })).toBeCloseTo(4.875, 10)
  expect(cost({ cacheReadTokens: million })).toBeCloseTo(0.3, 10)
  expect(costOf(usage('claude-opus-5-5', { cacheReadTokens: million })).costUsd).toBeCloseTo(0.2, 10)
})

test('web searches cost ten dollars a thousand', () => {
  expect(costOf(usage('claude-opus-5', { webSearchCount: 1_000 })).costUsd).toBeCloseTo(10, 10)
})

test('a model has one price under all the names that platforms give it', () => {
  const names = [
    'claude-sonnet-4-5',
    'claude-sonnet-4-5-20250929',
    'claude-sonnet-4-5@20250929',
    'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'anthropic/claude-sonnet-4-5',
    'claude-sonnet-4-5[1m]',
  ]
  for (const name of names)
    expect(costOf(usage(name, { outputTokens: 1_000_000 }))).toEqual({ costUsd: 15, isEstimate: false })
})

test('a model of no known family has no cost, and never one that looks exact', () => {
  for (const name of ['opus', 'gpt-99', '', '<synthetic>', 'toString', 'x'.repeat(1_000_000)])
    expect(costOf(usage(name, { inputTokens: 1 }))).toEqual({ costUsd: null, isEstimate: false })
})

test('models of Codex have prices of their own, and one that is not on the list has none', () => {
  const million = { inputTokens: 1_000_000, cacheReadTokens: 1_000_000, outputTokens: 1_000_000 }
  expect(costOf(usage('gpt-5-codex', million))).toEqual({ costUsd: 11.375, isEstimate: false })
  expect(costOf(usage('gpt-5.2-codex', million))).toEqual({ costUsd: 15.925, isEstimate: false })
  expect(costOf(usage('gpt-6.1-sol', million))).toEqual({ costUsd: null, isEstimate: false })
})

test('models of Gemini CLI with one price for all prompts have it, the others have none', () => {
  const million = { inputTokens: 1_000_000, cacheReadTokens: 1_000_000, outputTokens: 1_000_000 }
  expect(costOf(usage('gemini-2.5-flash', million))).toEqual({ costUsd: 2.83, isEstimate: false })
  expect(costOf(usage('gemini-2.5-pro', million))).toEqual({ costUsd: null, isEstimate: false })
})

describe('what an agent CLI states', () => {
  const said = { outputTokens: 1_000_000, statedNanoUsd: statedNanoUsd(0.25) }

  test('counts only for a model that is not on the price list, before the price of another version of its family', () => {
    expect(costOf(usage('local/own-1', said))).toEqual({ costUsd: 0.25, isEstimate: false })
    expect(costOf(usage('claude-haiku-7', said))).toEqual({ costUsd: 0.25, isEstimate: false })
    expect(costOf(usage('claude-opus-5-5', said)).costUsd).toBe(20)
    const models = ['local/own-1', 'claude-haiku-7', 'claude-opus-5-5']
    expect(models.map((model) => isStatedCost(usage(model, said)))).toEqual([true, true, false])
    expect(isStatedCost(usage('local/own-1', { outputTokens: 1 }))).toBe(false)
  })

  test('is nothing where it is no sensible amount', () => {
    for (const odd of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 101, '1', null, undefined])
      expect(statedNanoUsd(odd)).toBe(0)
    expect(statedNanoUsd(0.000_839_999_999)).toBe(840_000)
  })
})
