import { expect, test } from 'bun:test'
import type { MachineFacts } from './machine'
import { isBadMeasure, meets } from './needs'

const machine: MachineFacts = {
  platform: 'linux',
  arch: 'x64',
  cores: 8,
  memoryBytes: 16 * 2 ** 30,
  gpus: ['A'],
  repositories: [],
}

test('a word must be there, and a number be reached', () => {
  const able = { capabilities: ['docker', 'cores>=64'], machine }
  const met = ['docker', 'cores>=8', 'memory>=16', 'memory>=0.5', 'gpus>=1', 'cores>=64']
  const unmet = [
    'Docker',
    'cores>=9',
    'memory>=16.001',
    'gpus>=2',
    'disk>=1',
    'cores>8',
    'cores>= 8',
    '',
    'toString>=0',
  ]
  expect(met.filter((need) => !meets(able, need))).toEqual([])
  expect(unmet.filter((need) => meets(able, need))).toEqual([])
  // One that does not say may have less.
  expect(meets({ capabilities: [], machine: null }, 'cores>=1')).toBe(false)
})

test('a measure that nobody understands is known as such', () => {
  expect(['cores>8', 'cores>=', 'disk>=3', 'a<b', '__proto__>=1'].filter((need) => !isBadMeasure(need))).toEqual([])
  expect(['cores>=8', 'gpu', 'a=b', 'docker'].filter(isBadMeasure)).toEqual([])
})
