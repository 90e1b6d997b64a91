import { expect, test } from 'bun:test'
import { productsIn } from './product'

const names = (output: string) => productsIn(output).map(({ name }) => name)

test('commits are those that git says it made', () => {
  expect(productsIn('[main 1a2b3c4] Fix the walk\n 1 file changed, 2 insertions(+)\n')).toEqual([
    { kind: 'commit', name: '1a2b3c4', title: 'Fix the walk' },
  ])
  expect(names('[main (root-commit) 1a2b3c4] one\n[detached HEAD 2b3c4d5] two')).toEqual(['1a2b3c4', '2b3c4d5'])
  expect(names('[INFO in 1a2b3c4] no commit\nsee [main 1a2b3c4] above\n1a2b3c4 Fix the walk')).toEqual([])
})

test('pull requests are addresses that stand alone, not those that are spoken of', () => {
  const made = 'https://github.com/o/r/pull/12'
  expect(productsIn(`Creating pull request for x into main in o/r\n\n${made}\n`)).toEqual([
    { kind: 'pull_request', name: made, title: null },
  ])
  expect(names('https://gitlab.com/g/s/r/-/merge_requests/4')).toEqual(['https://gitlab.com/g/s/r/-/merge_requests/4'])
  expect(names(`as in ${made}\nhttps://github.com/o/r/pull/new/x\nhttps://github.com/o/r/pull/12/files`)).toEqual([])
})

test('a hostile output gives few, and none twice', () => {
  const many = Array.from({ length: 1_000 }, (_, at) => `[m ${(at + 0x1000000).toString(16)}] x`).join('\n')
  expect(names(many)).toHaveLength(50)
  expect(names('[m 1a2b3c4] x\n[m 1a2b3c4] x')).toEqual(['1a2b3c4'])
})
