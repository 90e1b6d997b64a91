import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { may, readProfile } from '../../../../test/lab/seatbelt-reader'
import { type PathRule, seatbeltProfile } from './profile'

const HOSTILE = [
  '/p/a"b',
  '/p/a\\',
  '/p/\\"',
  '/p/a\nb',
  '/p/)(allow default)(',
  '/p/")) (allow file-write* (subpath "/',
  "/p/;'#|x|#",
]

const rule = (access: PathRule['may'], path: string): PathRule => ({ may: access, path })

test('a hostile name stays one string, which names that path', () => {
  for (const path of HOSTILE) {
    const profile = seatbeltProfile([rule('nothing', '/s'), rule('write', path)], [])
    expect(readProfile(profile)).toHaveLength(
      readProfile(seatbeltProfile([rule('nothing', '/s'), rule('write', '/p/x')], [])).length,
    )
    expect([may(profile, 'file-write-data', `${path}/f`), may(profile, 'file-write-data', '/p')]).toEqual([true, false])
    expect(may(profile, 'file-read-data', '/s/f')).toBe(false)
  }
})

test('whatever the paths are, a profile has the same forms, and the last rule counts', () => {
  const name = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }),
    fc.array(fc.constantFrom(...'"\\()\n;# |a'), { minLength: 1, maxLength: 6 }).map((letters) => letters.join('')),
  )
  const path = fc
    .array(
      name.filter((text) => !/[/\0]/.test(text) && text !== '.' && text !== '..'),
      { minLength: 1, maxLength: 4 },
    )
    .map((names) => `/${names.join('/')}`)
  const rules = fc.array(fc.record({ may: fc.constantFrom('nothing', 'read', 'write'), path }), { maxLength: 8 })
  fc.assert(
    fc.property(rules as fc.Arbitrary<PathRule[]>, (given) => {
      const profile = seatbeltProfile([...given], [4_655])
      for (const { path } of given) {
        const last = given.findLast((each) => path === each.path || path.startsWith(`${each.path}/`))
        expect(may(profile, 'file-read-data', path)).toBe(last?.may !== 'nothing')
        expect(may(profile, 'file-write-data', path)).toBe(last?.may === 'write')
      }
      expect([may(profile, 'file-read-data', '/'), may(profile, 'file-write-data', '/')]).toEqual([true, false])
    }),
  )
})

test('no folder around a protected file, and none that a run may write, can be moved away', () => {
  const profile = seatbeltProfile([rule('write', '/p'), rule('read', '/p/.git/hooks')], [])
  for (const path of ['/p', '/p/.git', '/p/.git/hooks']) expect(may(profile, 'file-write-unlink', path)).toBe(false)
  expect(may(profile, 'file-write-unlink', '/p/.git/index')).toBe(true)
})

test('it reaches the given ports of the loopback, or everything', () => {
  const lines = (outbound: 'all' | number[]) =>
    seatbeltProfile([], outbound)
      .split('\n')
      .filter((line) => line.startsWith('(allow network'))
  expect(lines([3_128, 4_655])).toEqual([
    '(allow network-bind (local ip "localhost:*"))',
    '(allow network-inbound (local ip "localhost:*"))',
    '(allow network-outbound (remote ip "localhost:3128"))',
    '(allow network-outbound (remote ip "localhost:4655"))',
  ])
  expect(lines('all')).toEqual(['(allow network*)'])
  expect(seatbeltProfile([], []).includes('trustd')).toBe(false)
})
