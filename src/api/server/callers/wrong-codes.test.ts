import { expect, test } from 'bun:test'
import { AppError, isAppError } from '../../../domain/errors'
import { createWrongCodes } from './wrong-codes'

function clocked() {
  const clock = { now: 1_000_000 }
  const codes = createWrongCodes(() => clock.now)
  const attempt = async (peer: string | null, isRight: boolean) => {
    try {
      return await codes.try(peer, () => {
        if (!isRight) throw new AppError('unauthorized', 'wrong')
        return 'in'
      })
    } catch (error) {
      return isAppError(error) ? error.code : error
    }
  }
  const guess = async (peer: string | null, count: number) => {
    for (let n = 0; n < count; n++) await attempt(peer, false)
  }
  return { clock, attempt, guess }
}

test('after ten wrong codes in a minute no code of that peer is looked at, and one of another peer is', async () => {
  const { clock, attempt, guess } = clocked()
  await guess('203.0.113.5', 10)
  expect([await attempt('203.0.113.5', true), await attempt('203.0.113.6', true)]).toEqual(['unavailable', 'in'])
  clock.now += 60_000
  expect(await attempt('203.0.113.5', true)).toBe('in')
})

test('wrong codes of one user of this machine lock out no other', async () => {
  const { attempt, guess } = clocked()
  for (const peer of ['127.0.0.1', '::1', '::ffff:127.0.0.1', null]) {
    await guess(peer, 50)
    expect([peer, await attempt(peer, true), await attempt(peer, false)]).toEqual([peer, 'in', 'unauthorized'])
  }
})

test('right codes and other failures count as no guesses', async () => {
  const { attempt, guess } = clocked()
  await guess('203.0.113.5', 9)
  for (let n = 0; n < 20; n++) expect(await attempt('203.0.113.5', true)).toBe('in')
})

test('a subscriber of IPv6 is one peer, with whichever of his addresses', async () => {
  const { attempt, guess } = clocked()
  for (let n = 0; n < 10; n++) await guess(`2001:db8:0:1::${n}`, 1)
  expect(await attempt('2001:db8:0:1:ffff:2:3:4', true)).toBe('unavailable')
  expect(await attempt('2001:db8::1:2:3:4:5', true)).toBe('unavailable')
  expect(await attempt('2001:db8:0:2::1', true)).toBe('in')
})

test('guesses from very many addresses cost no memory without bound, and lock out nobody else', async () => {
  const { attempt, guess } = clocked()
  await guess('198.51.100.1', 10)
  for (let n = 0; n < 10_000; n++) await guess(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, 1)
  expect(await attempt('198.51.100.1', true)).toBe('in')
})
