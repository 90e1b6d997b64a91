import { expect, test } from 'bun:test'
import { compareFiles } from './compare'

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
