import { expect, test } from 'bun:test'
import { gather } from './gather'

test('what is asked while an answer is under way is asked together, and a failure is of those that it was asked for', async () => {
  const asked: string[][] = []
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const ask = gather(async (keys: string[]) => {
    asked.push(keys)
    await gates[asked.length - 1]?.promise
    return keys.map((key) => key.toUpperCase())
  })
  const first = ask('a')
  const second = Promise.allSettled([ask('b'), ask('c')])
  expect(asked).toEqual([['a']])
  gates[0]?.resolve()
  expect(await first).toBe('A')
  gates[1]?.reject(new Error('away'))
  expect((await second).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  gates[2]?.resolve()
  expect(await Promise.all([ask('d')])).toEqual(['D'])
  expect(asked).toEqual([['a'], ['b', 'c'], ['d']])
})
