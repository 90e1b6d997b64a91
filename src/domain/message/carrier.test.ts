import { expect, test } from 'bun:test'
import { attemptId, toolUseId } from '../ids'
import { carrierOf } from './carrier'

test('a carrier is known by the form of its name alone', () => {
  const attempt = attemptId('t-7f3k9q2m.2')
  expect(carrierOf('t-7f3k9q2m.2')).toEqual({ kind: 'attempt', attemptId: attempt, toolUseId: null })
  expect(carrierOf('t-7f3k9q2m.2 toolu_01AbC')).toEqual({
    kind: 'attempt',
    attemptId: attempt,
    toolUseId: toolUseId('toolu_01AbC'),
  })
  const host = '0123456789abcdef0123456789abcdef'
  const process = { kind: 'process', host, pid: 4711, startedAt: '88123@5c2e' } as const
  expect(carrierOf(`${host} 4711 88123@5c2e`)).toEqual(process)
  expect(carrierOf(`${host} 4711 88123@5c2e 17`)).toEqual(process)
  for (const name of ['toolu_01AbC', 'toolu_01AbC again', 'a-12345678 toolu_01AbC'])
    expect(carrierOf(name)).toEqual({ kind: 'call', toolUseId: toolUseId('toolu_01AbC') })
})

test('names that nobody made are calls of which nothing is known', () => {
  for (const name of [
    '',
    'call-1',
    't-7f3k9q2m',
    't-7f3k9q2m.',
    't-x.1',
    '4711',
    // A pid that does not say of which machine it is.
    '4711 88123@5c2e',
    ' 4711 x',
    '-1 x',
    'toolu_',
    '\0',
    'x'.repeat(10_000),
  ])
    expect(carrierOf(name)).toEqual({ kind: 'call', toolUseId: null })
})
