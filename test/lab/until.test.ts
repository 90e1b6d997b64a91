import { expect, test } from 'bun:test'
import { until } from './until'

test('gives the first thing that is neither false nor undefined, and asks no more', async () => {
  const answers = [undefined, false, 0, 1]
  expect(await until('a number', () => answers.shift())).toBe(0)
  expect(answers).toEqual([1])
})

test('names what it waited for in vain, and passes on what a look throws', async () => {
  await expect(until('the tide', () => false, 5)).rejects.toThrow('waited 5 ms in vain for the tide')
  const broken = () => Promise.reject(new Error('no sea'))
  await expect(until('the tide', broken)).rejects.toThrow('no sea')
})
