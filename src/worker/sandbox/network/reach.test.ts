import { expect, test } from 'bun:test'
import { isPrivateAddress, Reach } from './reach'

const own = [{ host: '127.0.0.1', port: 4655 }]
const asks = (words: string[], host: string, port = 443) => new Reach(words, own).mayAsk({ host, port })
const connects = (words: string[], host: string, address: string, port = 443) =>
  new Reach(words, own).mayConnect({ host, port }, address)

test('a name is reached when it is listed, or stands below one that is listed so', () => {
  const words = ['example.com', '*.npmjs.org', 'db.example:5432']
  expect(asks(words, 'example.com')).toBe(true)
  expect(asks(words, 'registry.npmjs.org')).toBe(true)
  expect(asks(words, 'db.example', 5432)).toBe(true)
  for (const [host, port] of [
    ['www.example.com', 443],
    ['example.com.evil.net', 443],
    ['evilexample.com', 443],
    ['example.com', 22],
    ['npmjs.org', 443],
    ['evilnpmjs.org', 443],
    ['db.example', 443],
    ['127.0.0.1', 443],
    ['1.1.1.1', 443],
  ] as const)
    expect([host, port, asks(words, host, port)]).toEqual([host, port, false])
})

test('what the settings of the person name is reached, at its port only', () => {
  expect(asks([], '127.0.0.1', 4655)).toBe(true)
  expect(connects([], '127.0.0.1', '127.0.0.1', 4655)).toBe(true)
  expect(asks([], '127.0.0.1', 5432)).toBe(false)
})

test('common is packages and code, open is everything, nothing is nothing', () => {
  expect([asks(['common'], 'registry.npmjs.org'), asks(['common'], 'api.github.com')]).toEqual([true, true])
  expect(asks(['common'], 'example.com')).toBe(false)
  expect([asks(['open'], 'example.com', 25), connects(['open'], 'x', '10.0.0.1')]).toEqual([true, true])
  expect(asks([], 'registry.npmjs.org')).toBe(false)
})

test('a listed name that leads to a private address is refused, unless the address is listed too', () => {
  for (const address of ['10.1.2.3', '127.0.0.1', '169.254.169.254', '::1', '::ffff:10.1.2.3', 'fd00:ec2::254'])
    expect([address, connects(['git.example'], 'git.example', address)]).toEqual([address, false])
  expect(connects(['git.example'], 'git.example', '93.184.216.34')).toBe(true)
  expect(connects(['git.example', '10.0.0.0/8'], 'git.example', '10.1.2.3')).toBe(true)
  expect(connects(['git.example', '10.0.0.0/8'], 'git.example', '::ffff:10.1.2.3')).toBe(true)
  expect(connects(['git.example', '10.0.0.0/8'], 'git.example', '192.168.0.1')).toBe(false)
  expect(connects(['localhost:5432'], 'localhost', '127.0.0.1', 5432)).toBe(true)
})

test('addresses that are none of the internet count as private, however they are written', () => {
  const inside = ['0.0.0.0', '10.0.0.1', '100.64.0.1', '127.0.0.53', '169.254.169.254', '172.31.255.255', '192.168.1.1']
  const more = ['198.18.0.1', '224.0.0.1', '255.255.255.255', '::', '::1', 'fe80::1', 'fc00::1', 'ff02::1', 'nothing']
  const led = ['::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::a00:1', '2002:7f00:1::', '2002:c0a8:101::1']
  for (const address of [...inside, ...more, ...led])
    expect([address, isPrivateAddress(address)]).toEqual([address, true])
  for (const address of ['1.1.1.1', '172.32.0.1', '2606:4700:4700::1111', '64:ff9b::101:101', '2002:101:101::1'])
    expect([address, isPrivateAddress(address)]).toEqual([address, false])
})
