import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { COOKIE_MS, cookieName, cookieValues, createCookies, setCookie } from './cookie'

const START = Date.UTC(2026, 0, 2)
const TOKEN = '5'.repeat(64)

test('a cookie is good for 30 days, over restarts, and not a moment longer', () => {
  let now = START
  const { value, until } = createCookies(TOKEN, () => now).make()
  const restarted = createCookies(TOKEN, () => now)
  expect(until).toBe(START + COOKIE_MS)
  now = until - 1
  expect(restarted.isGood(value)).toBe(true)
  now = until
  expect(restarted.isGood(value)).toBe(false)
})

test('a new token ends every cookie, and no cookie holds the token or is like another', () => {
  const cookies = createCookies(TOKEN, () => START)
  const values = Array.from({ length: 50 }, () => cookies.make().value)
  expect(new Set(values).size).toBe(50)
  const other = createCookies('6'.repeat(64), () => START)
  for (const value of values) {
    expect(other.isGood(value)).toBe(false)
    expect(value).not.toContain(TOKEN.slice(0, 16))
    expect(Buffer.from(value.split('.').at(-1) ?? '', 'base64url').toString('hex')).not.toContain(TOKEN.slice(0, 16))
  }
})

test('a cookie that was cut, lengthened or changed in one place is none', () => {
  const cookies = createCookies(TOKEN, () => START)
  const { value } = cookies.make()
  expect(cookies.isGood(value)).toBe(true)
  for (let length = 0; length < value.length; length++) expect(cookies.isGood(value.slice(0, length))).toBe(false)
  const signs = fc.constantFrom(...'abcXYZ0189._-=+/ \u0000é')
  fc.assert(
    fc.property(fc.nat(value.length - 1), signs, (at, sign) => {
      const changed = value.slice(0, at) + sign + value.slice(at + 1)
      fc.pre(changed !== value)
      expect(cookies.isGood(changed)).toBe(false)
    }),
  )
  for (const more of [`${value}x`, `x${value}`, `${value}\n`, `${value}.${value}`, 'v1...', `v2${value.slice(2)}`])
    expect([more, cookies.isGood(more)]).toEqual([more, false])
})

test('a later end with the old signature is refused', () => {
  const cookies = createCookies(TOKEN, () => START)
  const [version, , nonce, signature] = cookies.make().value.split('.')
  const later = (START + 10 * COOKIE_MS).toString(36)
  expect(cookies.isGood([version, later, nonce, signature].join('.'))).toBe(false)
})

test('an ended login is over, and only that one; what is none of ours ends nothing', () => {
  const cookies = createCookies(TOKEN, () => START)
  const [value, other] = [cookies.make().value, cookies.make().value]
  const [ending, others] = [cookies.ending(value), cookies.ending(other)]
  cookies.end(`${value.slice(0, -2)}__`)
  cookies.end('nonsense')
  expect([ending.aborted, cookies.isGood(value)]).toEqual([false, true])
  cookies.end(value)
  cookies.end(value)
  expect([ending.aborted, cookies.isGood(value), cookies.ending(value).aborted]).toEqual([true, false, true])
  expect([others.aborted, cookies.isGood(other)]).toEqual([false, true])
})

test('each port has a name of its own', () => {
  const at = (scheme: string, host: string) => cookieName(new Request(`${scheme}://${host}/`, { headers: { host } }))
  expect(at('http', '127.0.0.1:4655')).toBe('lodeline_4655')
  expect(at('http', '[::1]:4656')).toBe('lodeline_4656')
  expect(at('http', 'host')).toBe('lodeline_80')
  expect(at('https', 'host')).toBe('lodeline_443')
})

test('of the cookies of a request those of the very name are read, however many others stand before', () => {
  const request = (cookie: string) => new Request('http://x/', { headers: { cookie } })
  expect(cookieValues(request('a=1; lodeline_1=x; lodeline_12=y;lodeline_1=z; lodeline_1'), 'lodeline_1')).toEqual([
    'x',
    'z',
  ])
  expect(cookieValues(new Request('http://x/'), 'lodeline_1')).toEqual([])
  expect(cookieValues(request('lodeline_1=x; '.repeat(5_000)), 'lodeline_1').length).toBe(8)
})

test('no script, other site or clear line gets a cookie', () => {
  const from = (url: string) => new Request(url, { headers: { host: new URL(url).host } })
  expect(setCookie(from('http://x:1/'), 'v')).toBe(
    'lodeline_1=v; Path=/api; Max-Age=2592000; HttpOnly; SameSite=Strict',
  )
  expect(setCookie(from('https://x:1/'), null)).toBe(
    'lodeline_1=; Path=/api; Max-Age=0; HttpOnly; SameSite=Strict; Secure',
  )
})
