import { expect, test } from 'bun:test'
import { foldersFor, foldersOf } from './known-folders'

test('folders are suggested with their host where there are several, and those of the chosen worker alone', () => {
  const session = (cwd: string | null, host: string | null) => ({ cwd, host })
  expect(
    foldersOf([session('/b', 'quay'), session('/a', 'quay'), session('/b', 'quay'), session(null, 'quay')]),
  ).toEqual([
    { dir: '/a', host: null },
    { dir: '/b', host: null },
  ])
  const dirs = foldersOf([session('/a', 'quay'), session('/b', 'pier')])
  const agents = [
    { name: 'crane', host: 'pier' },
    { name: 'lead', host: null },
  ]
  const shown = (worker: string) => foldersFor(dirs, agents, worker).map(({ dir }) => dir)
  expect([shown(''), shown('lead'), shown('crane')]).toEqual([['/a', '/b'], ['/a', '/b'], ['/b']])
})
