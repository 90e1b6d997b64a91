import { expect, test } from 'bun:test'
import { inNetworks } from '../../../util/net/address-reach'
import { asReached } from './as-reached'
import { operatorToken } from './operator-token'

const PROXY = '10.0.0.7'
const FORGED = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example' }

function reach(headers: Record<string, string>, remote: string | null, publicUrl: string | null = null) {
  const front = { publicUrl, isProxy: inNetworks(['10.0.0.0/8', 'fd00::/8']) }
  const access = { kind: 'network', hosts: () => new Set<string>(), operatorToken: operatorToken(''), front } as const
  const asked = new Request('http://own.test:4655/api/health?a=1', { headers: { host: 'own.test:4655', ...headers } })
  const { request, remote: sender } = asReached(asked, remote, access)
  return { url: request.url, host: request.headers.get('host'), sender }
}
const AS_IT_IS = { url: 'http://own.test:4655/api/health?a=1', host: 'own.test:4655' }

test('what a peer that is no proxy says of where it comes from counts for nothing', () => {
  for (const peer of ['192.0.2.1', '127.0.0.1', '::1', '11.0.0.1', 'fe80::1', 'not an address'])
    expect(reach(FORGED, peer)).toEqual({ ...AS_IT_IS, sender: peer })
  expect(reach(FORGED, null)).toEqual({ ...AS_IT_IS, sender: null })
})

test("a trusted proxy's word counts, also in the forms of IPv6", () => {
  const seen = { url: 'https://evil.example/api/health?a=1', host: 'evil.example', sender: '203.0.113.9' }
  for (const peer of [PROXY, '::ffff:10.0.0.7', 'fd00::1']) expect(reach(FORGED, peer)).toEqual(seen)
})

test('the sender is the first from the right that is no proxy, whatever stands left of it', () => {
  const senders: [told: string, sender: string][] = [
    ['203.0.113.9', '203.0.113.9'],
    ['127.0.0.1, 203.0.113.9', '203.0.113.9'],
    ['127.0.0.1, 203.0.113.9, 10.0.0.8', '203.0.113.9'],
    ['203.0.113.9:4711,[fd00::2]:80', '203.0.113.9'],
    ['[2001:db8::1]:80', '2001:db8::1'],
    ['127.0.0.1, unknown', PROXY],
    ['127.0.0.1, _hidden, 10.0.0.8', '10.0.0.8'],
    ['', PROXY],
    [`127.0.0.1, ${'10.0.0.8, '.repeat(40)}10.0.0.9`, '10.0.0.8'],
  ]
  for (const [told, sender] of senders)
    expect([told, reach({ 'x-forwarded-for': told }, PROXY).sender]).toEqual([told, sender])
})

test('of hosts and schemes the last one counts, and only a scheme of the web', () => {
  const headers = { 'x-forwarded-host': 'evil.example, Lode.Example', 'x-forwarded-proto': 'http, HTTPS' }
  expect(reach(headers, PROXY)).toMatchObject({ url: 'https://lode.example/api/health?a=1', host: 'lode.example' })
  expect(reach({ 'x-forwarded-proto': 'ftp' }, PROXY)).toMatchObject(AS_IT_IS)
  expect(reach({ 'x-forwarded-host': '/..//', 'x-forwarded-proto': 'https' }, PROXY)).toMatchObject({ host: '/..//' })
})

test('the public address has its scheme, whoever stands between, and no other name has', () => {
  const url = 'https://lode.example'
  for (const host of ['lode.example', 'LODE.example', 'lode.example:443'])
    expect([host, reach({ host }, '192.0.2.1', url).url]).toEqual([host, 'https://lode.example/api/health?a=1'])
  expect(reach({ 'x-forwarded-host': 'lode.example', 'x-forwarded-proto': 'http' }, PROXY, url).url).toStartWith(
    'https:',
  )
  for (const host of ['own.test:4655', 'lode.example:80', 'x.lode.example', 'lode.example.evil'])
    expect([host, reach({ host }, '192.0.2.1', url).url]).toEqual([host, AS_IT_IS.url])
})

test('a request that is moved keeps its method, its body, and its end', async () => {
  const access = {
    kind: 'network',
    hosts: () => new Set<string>(),
    operatorToken: operatorToken(''),
    front: { publicUrl: 'https://lode.example', isProxy: () => false },
  } as const
  const ending = new AbortController()
  const asked = new Request('http://lode.example/x', {
    method: 'POST',
    body: 'words',
    signal: ending.signal,
    headers: { host: 'lode.example', origin: 'https://lode.example' },
  })
  const { request } = asReached(asked, '192.0.2.1', access)
  expect([request.method, request.headers.get('origin'), await request.text()]).toEqual([
    'POST',
    'https://lode.example',
    'words',
  ])
  ending.abort()
  expect(request.signal.aborted).toBe(true)
})
