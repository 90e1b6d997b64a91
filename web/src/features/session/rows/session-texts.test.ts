import { expect, test } from 'bun:test'
import { callLine, toolTitle } from './session-calls'
import { beginningOf, closeFences, patchLines, snippetParts } from './session-texts'

test('the one line of a call says what it is about', () => {
  expect(callLine("Bash\nsleep 1; grep -n 'x' *.js\nFind roundings", 'Bash')).toEqual({
    words: '',
    about: "sleep 1; grep -n 'x' *.js · Find roundings",
  })
  expect(callLine('TaskUpdate\n1\n{"status":"in_progress"}', 'TaskUpdate').about).toBe('1 · status: in_progress')
  expect(callLine('TaskCreate\nRound\nRound\n{"activeForm":"Rounding"}', 'TaskCreate').about).toBe(
    'Round · activeForm: Rounding',
  )
  expect(callLine('Edit\n/home/me/shop/prices.js\n{"old_string":"a lot that was cu', 'Edit').about).toBe(
    '/home/me/shop/prices.js',
  )
  expect(callLine('I look first.\nRead\n/a/long/enough/path', 'Read')).toEqual({
    words: 'I look first.',
    about: '/a/long/enough/path',
  })
  expect(callLine('mcp__x__y\n{"a":1,"b":[2]}', 'mcp__x__y').about).toBe('a: 1, b: 2')
  expect(callLine(null, null)).toEqual({ words: '', about: '' })
})

test('a tool of a server is named with its server', () => {
  expect(toolTitle('mcp__github__list_issues')).toBe('github: list_issues')
  expect(toolTitle('mcp__github')).toBe('mcp__github')
  expect(toolTitle(null)).toBe('tool')
})

test('the beginning of a text is whole lines, never half a character, and says when there is more', () => {
  expect(beginningOf('a\nb\nc', 3)).toEqual({ text: 'a\nb\nc', isCut: false })
  expect(beginningOf('a\nb\nc\n\n', 3)).toEqual({ text: 'a\nb\nc\n\n', isCut: false })
  expect(beginningOf('a\nb\nc\nd', 2)).toEqual({ text: 'a\nb', isCut: true })
  expect(beginningOf('a\n\nb\n\nc', 2)).toEqual({ text: 'a\n\nb', isCut: true })
  expect(beginningOf(`a${'\n'.repeat(5_000)}b`, 3)).toEqual({ text: 'a', isCut: true })
  expect(beginningOf('xx😀yy', 5, 3)).toEqual({ text: 'xx', isCut: true })
})

test('code that the cut leaves open is closed', () => {
  expect(closeFences('a\n```js\nb')).toBe('a\n```js\nb\n```')
  expect(closeFences('```\na\n```')).toBe('```\na\n```')
})

test('matches of a hit are parted from the words around, and what is hidden is shown', () => {
  expect(snippetParts('a \u0002b\u0003 c\u202e')).toEqual([
    { text: 'a ', isMatch: false },
    { text: 'b', isMatch: true },
    { text: ' c⟨U+202E⟩', isMatch: false },
  ])
  expect(snippetParts('\u0002a')).toEqual([{ text: 'a', isMatch: false }])
})

test('lines of a patch have their numbers on the side where they are', () => {
  expect(patchLines({ oldStart: 4, newStart: 9, lines: [' a', '-b', '+c', '+d', ' e', '\\ No newline'] })).toEqual([
    { sign: ' ', old: 4, new: 9, text: 'a' },
    { sign: '-', old: 5, new: null, text: 'b' },
    { sign: '+', old: null, new: 10, text: 'c' },
    { sign: '+', old: null, new: 11, text: 'd' },
    { sign: ' ', old: 6, new: 12, text: 'e' },
  ])
  expect(patchLines({ oldStart: 0, newStart: 1, lines: ['+a', '+b'] }).map(({ new: at }) => at)).toEqual([1, 2])
  expect(patchLines({ oldStart: 0, newStart: 0, lines: ['-a', '+b'] })).toEqual([
    { sign: '-', old: null, new: null, text: 'a' },
    { sign: '+', old: null, new: null, text: 'b' },
  ])
})
