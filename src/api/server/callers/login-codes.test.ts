import { expect, test } from 'bun:test'
import { CODE_MS, createLoginCodes } from './login-codes'

function clocked() {
  const clock = { now: 1_000_000 }
  const codes = createLoginCodes(() => clock.now)
  const tryIt = (code: string) => codes.use(code)
  return { clock, codes, tryIt }
}

test('a code has 60 bits, in groups, of signs that do not look alike', () => {
  const { codes } = clocked()
  const made = Array.from({ length: 300 }, () => codes.make().code)
  for (const code of made) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}$/)
  expect(new Set(made).size).toBe(300)
  // Every sign is used: 3,600 of them leave one out once in 10^48 runs.
  expect(new Set(made.join('').replaceAll('-', '')).size).toBe(32)
})

test('a code is good once', () => {
  const { codes, tryIt } = clocked()
  const { code } = codes.make()
  expect([tryIt(code), tryIt(code)]).toEqual([true, false])
})

test('a code is good for two minutes', () => {
  const { clock, codes, tryIt } = clocked()
  const { code, expiresAt } = codes.make()
  expect(expiresAt - clock.now).toBe(CODE_MS)
  clock.now = expiresAt
  expect(tryIt(code)).toBe(false)
  const next = codes.make()
  clock.now = next.expiresAt - 1
  expect(tryIt(next.code)).toBe(true)
})

test('case, dashes, spaces and letters that stand for no other sign are forgiven', () => {
  const { codes, tryIt } = clocked()
  const { code } = codes.make()
  expect(tryIt(code.toLowerCase().replaceAll('-', ''))).toBe(true)
  const written = codes.make().code
  const byHand = ` ${written.replaceAll('0', 'o').replaceAll('1', 'l').replaceAll('-', ' – ').replaceAll('–', '-')} `
  expect(tryIt(byHand)).toBe(true)
})

test('of many codes the newest twenty are open', () => {
  const { codes, tryIt } = clocked()
  const made = Array.from({ length: 23 }, () => codes.make().code)
  expect(made.map(tryIt)).toEqual([...Array(3).fill(false), ...Array(20).fill(true)])
})

test('what is no code at all is as wrong as a wrong one', () => {
  const { codes, tryIt } = clocked()
  codes.make()
  for (const text of ['', '-', 'x'.repeat(100), '\u0000', '🙂', 'undefined']) expect(tryIt(text)).toBe(false)
})
