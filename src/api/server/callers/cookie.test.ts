import { expect, test } from 'bun:test'
import { cookieName, cookieValues, loginCookies, setCookie } from './cookie'

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

test('by HTTPS a cookie that a server at another name of the domain may have set is no login', () => {
  const value = `lub_${'x'.repeat(43)}`
  const from = (url: string, name: string) =>
    loginCookies(new Request(url, { headers: { host: new URL(url).host, cookie: `${name}=${value}` } }))
  expect(from('https://x/', 'lodeline_443')).toEqual([])
  expect(from('https://x/', '__Host-lodeline_443')).toEqual([value])
  expect(from('http://x:1/', 'lodeline_1')).toEqual([value])
})

test('no script, other site or clear line gets a cookie', () => {
  const from = (url: string) => new Request(url, { headers: { host: new URL(url).host } })
  expect(setCookie(from('http://x:1/'), 'v')).toBe(
    'lodeline_1=v; Path=/api; Max-Age=2592000; HttpOnly; SameSite=Strict',
  )
  expect(setCookie(from('https://x:1/'), null)).toBe(
    '__Host-lodeline_1=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure',
  )
})
