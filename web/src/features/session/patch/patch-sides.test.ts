import { expect, test } from 'bun:test'
import { patchLines } from '../rows/session-texts'
import { patchPairs } from './patch-pairs'
import { patchSides, rowOfLine } from './patch-sides'

const lines = (...hunks: string[][]) =>
  hunks.flatMap((hunk, at) => [...(at === 0 ? [] : [null]), ...patchLines({ oldStart: 1, newStart: 1, lines: hunk })])

/** What stands at the place of each line. */
const found = (all: ReturnType<typeof lines>) => {
  const { blocks, places } = patchSides(all.map(rowOfLine))
  return all.map((line) => {
    const [block, at] = (line && places.get(line)) ?? []
    return block === undefined || at === undefined ? null : blocks[block]?.[at]
  })
}

test('each hunk is the text that was there and the one that is there now', () => {
  const { blocks } = patchSides(lines([' a', '-b', '+c', ' d'], ['+e']).map(rowOfLine))
  expect(blocks).toEqual([['a', 'c', 'd'], ['a', 'b', 'd'], ['e']])
})

test('each line is found in the text of its side, also where the same words stand twice', () => {
  expect(found(lines(['-x', '+x', ' x', '-y'], [' z', '-x']))).toEqual(['x', 'x', 'x', 'y', null, 'z', 'x'])
})

test('a hunk in which nothing was removed is one text, and nothing at all is none', () => {
  expect(patchSides(lines([' a', '+b']).map(rowOfLine)).blocks).toEqual([['a', 'b']])
  expect(patchSides([]).blocks).toEqual([])
  expect(patchSides([null, null]).blocks).toEqual([])
})

test('hidden characters stand in it as they are shown, so that places fit', () => {
  expect(patchSides(lines(['+a\u202eb']).map(rowOfLine)).blocks).toEqual([['a⟨U+202E⟩b']])
})

test('rows in two columns have the same texts', () => {
  const all = lines([' a', '-b', '-c', '+d', ' e'], ['-f', '+g'])
  expect(patchSides(patchPairs(all)).blocks).toEqual(patchSides(all.map(rowOfLine)).blocks)
})

test('a part is read with what stands before it in its hunk, and with nothing of the hunk before', () => {
  const all = lines(
    ['+before'],
    Array.from({ length: 1_000 }, (_, at) => `+${at}`),
  ).map(rowOfLine)
  expect(patchSides(all, 100, 200).blocks).toEqual([Array.from({ length: 198 }, (_, at) => `${at}`)])
  const [late = []] = patchSides(all, 900, 950).blocks
  expect([late.length, late.at(-1)]).toEqual([450, '947'])
  expect(patchSides(all, 0, 2).blocks).toEqual([['before']])
})
