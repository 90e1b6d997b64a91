import { expect, test } from 'bun:test'
import { COMMON_HOSTS, parseNetworkPlace } from './network-words'

test('hosts, all below a host, ports, addresses and ranges are understood', () => {
  const parts = (word: string) => {
    const place = parseNetworkPlace(word)
    return place === null ? null : [place.kind, place.host, place.bits, place.port]
  }
  expect(parts('GitHub.com')).toEqual(['name', 'github.com', null, null])
  expect(parts('*.npmjs.org')).toEqual(['below', 'npmjs.org', null, null])
  expect(parts('db.example:5432')).toEqual(['name', 'db.example', null, 5432])
  expect(parts('10.0.0.0/8')).toEqual(['addresses', '10.0.0.0', 8, null])
  expect(parts('127.0.0.1:5432')).toEqual(['addresses', '127.0.0.1', null, 5432])
  expect(parts('fd00::/8')).toEqual(['addresses', 'fd00::', 8, null])
  expect(parts('::1')).toEqual(['addresses', '::1', null, null])
  expect(parts('[::1]:80')).toEqual(['addresses', '::1', null, 80])
  for (const host of COMMON_HOSTS) expect([host, parts(host)]).not.toEqual([host, null])
})

test('what could mean more than it says is not', () => {
  const wrong = [
    '*',
    '*.com',
    'a.*.com',
    'host:0',
    'host:70000',
    'host:x',
    '256.1.1.1',
    '10.0.0.0/33',
    '1.2.3',
    'fe80::g',
  ]
  const more = [
    '',
    'http://host',
    'host/path',
    'a b',
    'user@host',
    'open',
    'common',
    '-a.com',
    '[::1',
    'a..b',
    '*.open',
    'off',
  ]
  for (const word of [...wrong, ...more]) expect([word, parseNetworkPlace(word)]).toEqual([word, null])
})
