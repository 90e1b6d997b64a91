import { expect, test } from 'bun:test'
import { MAX_NEEDS } from '#api/contract/protocol'
import type { Need } from '../needs'
import { MAX_GROUP, readGroup } from './read-group'

const needs = (count: number): Need[] => Array.from({ length: count }, (_, n) => ({ id: `n${n}` }) as Need)

test.each([0, 1, 199, 200, 201, 400, 1_001])('all of %d needs of a cause are read, each once', async (count) => {
  const all = needs(count)
  const asked: number[] = []
  const read = await readGroup(async (skip) => {
    asked.push(skip)
    return all.slice(skip, skip + MAX_NEEDS)
  })
  expect(read).toEqual(all)
  expect(asked).toHaveLength(Math.floor(count / MAX_NEEDS) + 1)
})

test('a need that comes while they are read makes none of them appear twice', async () => {
  const all = needs(450)
  const read = await readGroup(async (skip) => {
    const part = all.slice(skip, skip + MAX_NEEDS)
    all.unshift({ id: `new${skip}` } as Need)
    return part
  })
  expect(read.map(({ id }) => id).toSorted()).toEqual(
    needs(450)
      .map(({ id }) => id)
      .toSorted(),
  )
})

test('a list without an end is read up to a bound', async () => {
  let n = 0
  const read = await readGroup(async () => needs(MAX_NEEDS).map((need) => ({ ...need, id: `${n++}` })))
  expect(read).toHaveLength(MAX_GROUP)
})
