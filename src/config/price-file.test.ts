import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { costOf, setOwnPrices } from '../domain/cost/price'
import { NO_USAGE } from '../domain/cost/usage'
import { ownPricesPath, readOwnPrices } from './price-file'

let home = ''
beforeEach(() => {
  home = mkdtempSync('/tmp/ld-')
})
afterEach(() => {
  setOwnPrices(null)
  rmSync(home, { recursive: true, force: true })
})
const costOfMillion = (model: string) =>
  costOf({
    ...NO_USAGE,
    model,
    messageCount: 1,
    inputTokens: 1_000_000,
    cacheReadTokens: 1_000_000,
    cacheCreation1hTokens: 0,
    webSearchCount: 0,
    statedNanoUsd: 0,
  })

test('a model that is new has the price that a person writes down, and a listed one has the new price', () => {
  expect(costOfMillion('wonder-9')).toEqual({ costUsd: null, isEstimate: false })
  const models = { 'wonder-9': { input: 2, output: 8 }, 'claude-opus-5-5': { input: 1, output: 1, cacheRead: 0.5 } }
  writeFileSync(ownPricesPath(home), JSON.stringify({ asOf: '2026-11-01', models }))
  readOwnPrices(home)
  expect(costOfMillion('wonder-9')).toEqual({ costUsd: 2.2, isEstimate: false })
  expect(costOfMillion('claude-opus-5-5-20261001').costUsd).toBe(1.5)
  // A version of a listed family that has no price of its own is still an estimate.
  expect(costOfMillion('claude-opus-9').isEstimate).toBe(true)
})

test('a file that is no price list is refused with its place, and without a file the listed prices count', () => {
  rmSync(home, { recursive: true, force: true })
  readOwnPrices(home)
  expect(costOfMillion('claude-opus-5-5').costUsd).toBe(4.2)
  for (const [text, place] of [
    ['{', "can't be read"],
    ['{"models":{}}', 'asOf'],
    ['{"asOf":"2026-11-01","models":{"a":{"input":-1,"output":2}}}', 'models.a.input'],
    ['{"asOf":"2026-11-01","models":{"a":{"input":1}}}', 'models.a.output'],
    ['{"asOf":"2026-11-01","models":{"a":{"input":1,"output":2,"cacheRead":"x"}}}', 'models.a.cacheRead'],
  ]) {
    const folder = mkdtempSync('/tmp/ld-')
    writeFileSync(ownPricesPath(folder), text as string)
    expect(() => readOwnPrices(folder)).toThrow(place as string)
    rmSync(folder, { recursive: true, force: true })
  }
})
