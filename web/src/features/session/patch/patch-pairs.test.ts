import { expect, test } from 'bun:test'
import { patchLines } from '../rows/session-texts'
import { patchPairs } from './patch-pairs'

test('removed lines stand beside those that came in their place', () => {
  const hunk = (...lines: string[]) => patchLines({ oldStart: 1, newStart: 1, lines })
  const shown = (...lines: string[]) =>
    patchPairs([...hunk(...lines), null, ...hunk(' end')]).map((pair) =>
      pair === null ? '' : `${pair.left?.text ?? '.'}|${pair.right?.text ?? '.'}`,
    )
  expect(shown(' a', '-b', '-c', '+B', ' d', '+e', '-f')).toEqual([
    'a|a',
    'b|B',
    'c|.',
    'd|d',
    '.|e',
    'f|.',
    '',
    'end|end',
  ])
})
