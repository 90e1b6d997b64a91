import { expect, test } from 'bun:test'
import { firstSentence } from './overview/digest'
import { plainWords } from './plain-words'

test('Markdown and elements of the CLI are left out, words and names stay', () => {
  expect(plainWords('All **24 tests** pass.\n\n```sh\nnpm test\n```\n- see `src/a_b.ts`')).toBe(
    'All 24 tests pass. see src/a_b.ts',
  )
  expect(plainWords('<system-reminder>hidden</system-reminder># Done\n> it *works*')).toBe('Done it works')
  expect(
    plainWords(
      '## What the chart shows\n\nSee [depths](depths.txt).\n\n| place | depth |\n| --- | --- |\n| north | **7 m** |',
    ),
  ).toBe('What the chart shows: See depths. place, depth; north, 7 m;')
  expect(plainWords('mcp__lodeline__send-task {} of __init__ is __bold__')).toBe(
    'mcp__lodeline__send-task {} of init is bold',
  )
  expect(plainWords('2 * 3 * 4 = snake_case_name')).toBe('2 * 3 * 4 = snake_case_name')
})

test('the first sentence is the outcome, and there may be none', () => {
  expect(firstSentence('**Fixed** v1.2 of the parser. Then I rested.')).toBe('Fixed v1.2 of the parser.')
  expect(firstSentence('no stop at the end')).toBe('no stop at the end')
  expect(firstSentence('```\ncode\n```')).toBeNull()
  expect(firstSentence('x'.repeat(500))).toHaveLength(200)
  // A hostile text takes no longer than another.
  expect(firstSentence('<a>'.repeat(200))).not.toBeUndefined()
})
