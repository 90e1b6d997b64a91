import { expect, test } from 'bun:test'
import { budgetState, forecastAt, periodAt, standingInWords } from './budget'

const at = (text: string) => Date.parse(text)

test('a day and a month are those of their zone, also where the clock is moved', () => {
  const berlin = { zone: 'Europe/Berlin' }
  expect(periodAt({ period: 'day', ...berlin }, at('2026-03-29T10:00:00Z'))).toEqual({
    since: at('2026-03-28T23:00:00Z'),
    until: at('2026-03-29T22:00:00Z'),
  })
  expect(periodAt({ period: 'month', ...berlin }, at('2026-12-31T22:59:59Z'))).toEqual({
    since: at('2026-11-30T23:00:00Z'),
    until: at('2026-12-31T23:00:00Z'),
  })
  expect(periodAt({ period: 'ever', ...berlin }, 0)).toEqual({ since: null, until: null })
})

test('a budget is nearly used up at four fifths, and a period that is over says nothing of the next', () => {
  const row = { most: 10, extra: 0, extraUntil: null, used: 8, usedUntil: 100 }
  expect(budgetState({ ...row, used: 7.99 }, 50)).toBe('within')
  expect(budgetState(row, 50)).toBe('near')
  expect(budgetState({ ...row, used: 10 }, 50)).toBe('over')
  expect(budgetState({ ...row, used: 10 }, 100)).toBe('within')
  expect(budgetState({ ...row, used: 10, extra: 10, extraUntil: 100 }, 99)).toBe('within')
  expect(budgetState({ ...row, used: null }, 50)).toBe('within')
})

test('how a budget stands is told in its unit, and an estimate is marked', () => {
  const row = {
    period: 'day',
    unit: 'usd',
    used: 5.016,
    isEstimate: true,
    most: 5,
    extra: 1,
    extraUntil: null,
  } as const
  expect(standingInWords(row, 0)).toBe('about $5.02 of $6.00 today')
})

test('a pace says what a period comes to, once enough of it is over', () => {
  const budget = { period: 'day' as const, zone: 'UTC', used: 3 }
  expect(forecastAt(budget, at('2026-11-20T06:00:00Z'))).toBe(12)
  expect(forecastAt(budget, at('2026-11-20T00:30:00Z'))).toBeNull()
  expect(forecastAt({ ...budget, used: null }, at('2026-11-20T06:00:00Z'))).toBeNull()
  expect(forecastAt({ ...budget, period: 'ever' }, at('2026-11-20T06:00:00Z'))).toBeNull()
})
