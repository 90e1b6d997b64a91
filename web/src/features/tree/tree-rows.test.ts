import { expect, test } from 'bun:test'
import { type LoadedLevel, type TreeEntry, treeRows } from './tree-rows'

const entry = (id: string, childCount = 0): TreeEntry => ({
  id,
  kind: 'task',
  label: id,
  detail: null,
  status: null,
  statusEvidence: null,
  startedAt: null,
  endedAt: null,
  childCount,
  rollup: null,
  agentCli: null,
  taskId: null,
  sessionId: null,
  subagentId: null,
  toolUseId: null,
  issueId: null,
})
const level = (entries: TreeEntry[], more: Partial<LoadedLevel> = {}): LoadedLevel => ({
  entries,
  total: entries.length,
  nextCursor: null,
  ...more,
})
const drawn = (levels: [string, LoadedLevel][], open: string[]) =>
  treeRows(new Map(levels), new Set(open)).map((row) =>
    row.kind === 'entry'
      ? `${'  '.repeat(row.depth - 1)}${row.entry.id} ${row.at}/${row.of}${row.isOpen ? ' open' : ''}`
      : `${'  '.repeat(row.depth - 1)}… ${row.left}`,
  )

test('open levels stand below their entries, each with its place', () => {
  expect(
    drawn(
      [
        ['', level([entry('a', 2), entry('b', 1)])],
        ['a', level([entry('a1'), entry('a2', 1)])],
        ['a2', level([entry('deep')])],
      ],
      ['a', 'a2'],
    ),
  ).toEqual(['a 1/2 open', '  a1 1/2', '  a2 2/2 open', '    deep 1/1', 'b 2/2'])
})

test('what is not loaded says so, with how many there are', () => {
  expect(drawn([['', level([entry('a', 9)], { total: 3, nextCursor: 'x' })]], ['a'])).toEqual([
    'a 1/3 open',
    '  … 0',
    '… 2',
  ])
})

test('an entry that came twice stands once, and one below itself is not opened again', () => {
  expect(
    drawn(
      [
        ['', level([entry('a', 1), entry('a', 1)])],
        ['a', level([entry('a', 1)])],
      ],
      ['a'],
    ),
  ).toEqual(['a 1/2 open', '  a 1/1'])
})

test('a leaf that the address names as open is a leaf', () => {
  expect(drawn([['', level([entry('a')])]], ['a'])).toEqual(['a 1/1'])
})
