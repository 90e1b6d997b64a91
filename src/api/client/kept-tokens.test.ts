import { afterAll, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keepToken, keptTokens } from './kept-tokens'

const root = mkdtempSync('/tmp/ld-')
afterAll(() => rmSync(root, { recursive: true, force: true }))

const HERE = 'https://lode.example:4655'
const kept = (name: string, token: string, server = HERE) => ({ server, name, token })

test('a token is given for its own server alone, and the newest of a worker', () => {
  const home = join(root, 'a')
  for (const one of [
    kept('w', 'lwe_1'),
    kept('w', 'lwe_2'),
    kept('v', 'lwe_3'),
    kept('w', 'lwe_4', 'https://b.example'),
  ])
    keepToken(home, one)
  expect(keptTokens(home, [HERE])).toEqual([kept('v', 'lwe_3'), kept('w', 'lwe_2')])
  expect(keptTokens(home, ['https://lode.example'])).toEqual([])
  expect(keptTokens(join(root, 'none'), [HERE])).toEqual([])
})

test('a token that others may read is refused, and its owner alone may read a new one', () => {
  const home = join(root, 'b')
  keepToken(home, kept('w', 'lwe_1'))
  const folder = join(home, 'worker-tokens')
  const [file = ''] = readdirSync(folder)
  expect([statSync(join(folder, file)).mode & 0o777, statSync(folder).mode & 0o777]).toEqual([0o600, 0o700])
  chmodSync(join(folder, file), 0o644)
  expect(() => keptTokens(home, [HERE])).toThrow('can be read by others')
})

test('a file with any other content is passed over', () => {
  const home = join(root, 'c')
  keepToken(home, kept('w', 'lwe_1'))
  const texts = [
    '',
    '{',
    'null',
    '[]',
    '{"server":1}',
    JSON.stringify(kept('x', 'a\nb')),
    JSON.stringify(kept('x', '')),
  ]
  for (const [n, text] of texts.entries())
    writeFileSync(join(home, 'worker-tokens', `${n}.json`), text, { mode: 0o600 })
  expect(keptTokens(home, [HERE]).map(({ name }) => name)).toEqual(['w'])
})
