import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { diffTexts, newText } from './line-diff'
import { patchOfCall, patchOfResult } from './line-patch'

test("a recorded patch is taken with the file's line numbers, without remarks", () => {
  const structuredPatch = [
    { oldStart: 3, oldLines: 2, newStart: 4, newLines: 2, lines: [' a', '-b', '+c', '\\ No newline at end of file'] },
    { oldStart: 'x', lines: ['', 7, '+d'] },
    { lines: [] },
    null,
  ]
  expect(patchOfResult({ filePath: '/f', structuredPatch, oldString: 'b', newString: 'c' })).toEqual({
    path: '/f',
    hunks: [
      { oldStart: 3, newStart: 4, lines: [' a', '-b', '+c'] },
      { oldStart: 0, newStart: 0, lines: ['+d'] },
    ],
  })
})

test('a file that was made is a patch of its lines, one that is as it was is none', () => {
  expect(patchOfResult({ type: 'create', filePath: '/f', content: 'a\n\nb\n', structuredPatch: [] })).toEqual({
    path: '/f',
    hunks: [{ oldStart: 0, newStart: 1, lines: ['+a', '+', '+b'] }],
  })
  expect(patchOfResult({ type: 'update', filePath: '/f', content: 'a', structuredPatch: [] })).toBeNull()
  expect(patchOfResult({ type: 'create', filePath: '/f', content: '', structuredPatch: [] })).toBeNull()
})

test('a cell that was changed is a patch of the cell', () => {
  const cell = { notebook_path: '/n', old_source: 'a\nb', new_source: 'a\nc' }
  expect(patchOfResult(cell)).toEqual({
    path: '/n',
    hunks: [{ oldStart: 0, newStart: 0, lines: [' a', '-b', '+c'] }],
  })
  expect(patchOfCall('NotebookEdit', { notebook_path: '/n', new_source: 'a' })?.hunks).toEqual([
    { oldStart: 0, newStart: 0, lines: ['+a'] },
  ])
})

test('calls of the four tools that change files are patches of their input', () => {
  const edits = [
    { old_string: 'a', new_string: 'b' },
    { old_string: 'c\nd', new_string: 'c' },
  ]
  expect(patchOfCall('Edit', { file_path: '/f', ...edits[0] })).toEqual({
    path: '/f',
    hunks: [{ oldStart: 0, newStart: 0, lines: ['-a', '+b'] }],
  })
  expect(patchOfCall('MultiEdit', { file_path: '/f', edits })?.hunks.map(({ lines }) => lines)).toEqual([
    ['-a', '+b'],
    [' c', '-d'],
  ])
  expect(patchOfCall('Write', { file_path: '/f', content: 'x' })?.hunks).toEqual([
    { oldStart: 0, newStart: 1, lines: ['+x'] },
  ])
  expect(patchOfCall('Bash', { file_path: '/f', content: 'x' })).toBeNull()
})

test('nothing that an input or a result may hold fails', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom('Edit', 'MultiEdit', 'Write', 'NotebookEdit', 'x'), (value, name) => {
      patchOfCall(name, value)
      patchOfCall(name, { file_path: '/f', notebook_path: '/n', old_string: value, new_string: value, edits: [value] })
      patchOfResult(value)
      patchOfResult({ filePath: '/f', structuredPatch: [value, { lines: value }], oldString: value, newString: 'x' })
    }),
  )
})

const text = fc.array(fc.constantFrom('a', 'b', 'c', '', 'd'), { maxLength: 30 }).map((lines) => lines.join('\n'))

test('a difference holds every line that changed, beside lines as they stand on both sides', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const sides = [split(before), split(after)] as const
      const changes = [0, 0]
      const ends = [0, 0]
      for (const { lines } of diffTexts(before, after)) {
        ;[/^[ -]/, /^[ +]/].forEach((side, i) => {
          const shown = lines.filter((line) => side.test(line)).map((line) => line.slice(1))
          const all = sides[i] ?? []
          const from = all.findIndex(
            (_, at) => at >= (ends[i] ?? 0) && shown.every((line, offset) => all[at + offset] === line),
          )
          expect(shown.length === 0 ? 0 : from).toBeGreaterThanOrEqual(0)
          if (shown.length > 0) ends[i] = from + shown.length
          changes[i] = (changes[i] ?? 0) + lines.filter((line) => !line.startsWith(' ') && side.test(line)).length
        })
      }
      // What both sides keep is of one length.
      expect(sides[0].length - (changes[0] ?? 0)).toBe(sides[1].length - (changes[1] ?? 0))
    }),
    { numRuns: 2_000 },
  )
})

test('changes far from each other are apart, with three lines around each', () => {
  const lines = Array.from({ length: 20 }, (_, i) => `${i}`)
  const changed = lines.map((line) => (line === '5' || line === '15' ? 'x' : line))
  expect(diffTexts(lines.join('\n'), changed.join('\n')).map((hunk) => hunk.lines)).toEqual([
    [' 2', ' 3', ' 4', '-5', '+x', ' 6', ' 7', ' 8'],
    [' 12', ' 13', ' 14', '-15', '+x', ' 16', ' 17', ' 18'],
  ])
})

test('a few changes in a large file are shown as those changes, however far apart', () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i}`)
  const changed = lines.map((line, i) => (i % 200 === 100 ? `new ${i}` : line))
  const hunks = diffTexts(lines.join('\n'), changed.join('\n'))
  expect(hunks).toHaveLength(100)
  expect(hunks[7]?.lines).toEqual([
    ...[1497, 1498, 1499].map((i) => ` line ${i}`),
    '-line 1500',
    '+new 1500',
    ...[1501, 1502, 1503].map((i) => ` line ${i}`),
  ])
})

test('a difference is as short as any', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = diffTexts(before, after).flatMap((hunk) => hunk.lines)
      const [a, b] = [split(before), split(after)]
      const shortest = a.length + b.length - 2 * longestCommon(a, b)
      expect(lines.filter((line) => !line.startsWith(' '))).toHaveLength(shortest)
    }),
  )
})

test('texts that are made to be hard end as all of one side and all of the other', () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i}`)
  const [hunk, ...more] = diffTexts(lines.join('\n'), lines.toReversed().join('\n'))
  expect(more).toEqual([])
  expect(hunk?.lines).toEqual([...lines.map((line) => `-${line}`), ...lines.toReversed().map((line) => `+${line}`)])
})

test('texts of any size are compared in a moment', () => {
  const many = (word: string) => Array.from({ length: 100_000 }, (_, i) => `${word} ${i}`).join('\n')
  expect(diffTexts(many('a'), many('b'))[0]?.lines).toHaveLength(200_000)
  expect(newText(many('a'))[0]?.lines).toHaveLength(100_000)
})

function split(whole: string): string[] {
  const lines = whole.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, () => 0)
  for (const line of a) {
    const next = [0]
    for (const [j, other] of b.entries())
      next.push(line === other ? (row[j] ?? 0) + 1 : Math.max(row[j + 1] ?? 0, next[j] ?? 0))
    row = next
  }
  return row.at(-1) ?? 0
}
