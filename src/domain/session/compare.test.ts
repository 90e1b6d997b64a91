import { expect, test } from 'bun:test'
import { compareFiles, pathsIn } from './compare'

test('files of two worktrees are compared by their place below the folder', () => {
  const files = (...paths: string[]) => paths.map((path) => ({ path }))
  const first = { cwd: '/a/one', files: files('/a/one/x.ts', '/a/one/y.ts', '/etc/z') }
  const second = { cwd: '/a/two', files: files('/a/two/y.ts', '/a/one/x.ts', '/etc/z') }
  expect(compareFiles(first, second)).toEqual([
    { path: '/etc/z', by: 'both' },
    { path: 'y.ts', by: 'both' },
    { path: 'x.ts', by: 'first' },
    { path: '/a/one/x.ts', by: 'second' },
  ])
  expect(compareFiles({ cwd: null, files: [] }, { cwd: null, files: [] })).toEqual([])
})

test('a compared file is found again by the names that it may have in either session', () => {
  expect(pathsIn('/a/one', 'x.ts')).toEqual(['x.ts', '/a/one/x.ts'])
  expect(pathsIn('/a/one', '/etc/z')).toEqual(['/etc/z'])
  expect(pathsIn(null, 'x.ts')).toEqual(['x.ts'])
})
