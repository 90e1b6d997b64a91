import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { block, cut, jsonLines, oneLine, pad, width, wrap } from './text'

const ESC = '\u001b'
// Nothing that a terminal obeys: C0, DEL, C1, marks of direction.
const isSafe = (text: string) => !/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(text)

describe('text on one line', () => {
  test('keeps no command for the terminal', () => {
    expect(oneLine(`${ESC}[31mred${ESC}[0m`)).toBe('red')
    expect(oneLine(`a${ESC}]0;title\u0007b`)).toBe('ab')
    expect(oneLine(`${ESC}]8;;http://evil\u0007click${ESC}]8;;\u0007`)).toBe('click')
    expect(oneLine('\u009b2Jx')).not.toContain('\u009b')
    expect(oneLine('bell\u0007 back\b\b')).toBe('bell\\x07 back\\x08\\x08')
    expect(oneLine('evil\u202egpj.exe')).toBe('evilgpj.exe')
  })
  test('turns line breaks into blanks and cuts repeated ones', () => {
    expect(oneLine(' a\r\nb\tc\u2028d  ')).toBe('a b c d')
  })
  test('is safe whatever comes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        expect(isSafe(oneLine(text))).toBe(true)
        expect(oneLine(text).isWellFormed()).toBe(true)
        expect(isSafe(block(text).replaceAll('\n', ''))).toBe(true)
      }),
      { numRuns: 3_000 },
    )
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(ESC, '\u009b', '\u009d', '[', ']', '0', ';', 'm', '\u0007', '\\', 'x', '\ud800')),
        (parts) => {
          expect(isSafe(oneLine(parts.join('')))).toBe(true)
        },
      ),
      { numRuns: 3_000 },
    )
  })
})

describe('width', () => {
  test('counts cells: wide characters two, marks none', () => {
    expect(width('abc')).toBe(3)
    expect(width('日本')).toBe(4)
    expect(width('e\u0301')).toBe(1)
  })
  test('is kept by cut, which never breaks a character', () => {
    expect(cut('abcdef', 6)).toBe('abcdef')
    expect(cut('abcdefg', 6)).toBe('abc...')
    expect(cut('日本語テキスト', 8)).toBe('日本...')
    expect(cut('👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 5)).toBe('👩‍👩‍👧‍👦...')
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), fc.integer({ min: 0, max: 40 }), (text, cells) => {
        const safe = oneLine(text)
        expect(width(cut(safe, cells))).toBeLessThanOrEqual(cells)
      }),
      { numRuns: 2_000 },
    )
  })
  test('is filled by pad on either side', () => {
    expect(pad('日', 4)).toBe('日  ')
    expect(pad('7', 3, 'right')).toBe('  7')
    expect(pad('long', 2)).toBe('long')
  })
})

test('wrap breaks at blanks only', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three'])
  expect(wrap('unbreakable', 4)).toEqual(['unbreakable'])
  expect(wrap('', 4)).toEqual([''])
})

test('lines of JSON lose what a terminal takes for a command, and no value', () => {
  const value = { title: 'a\u001b[31m\u009b2J\u202e\u2066\u200b\u{e0041}é', n: 1 }
  const hostile = `${JSON.stringify(value).replace('\\u001b', '\u001b')}\n{"id":"x"}\n`
  const shown = jsonLines(hostile)
  expect(shown).not.toMatch(/[^\x20-\x7e\né]/)
  expect(JSON.parse(shown.split('\n')[0] ?? '')).toEqual(value)
  expect(shown.split('\n')[1]).toBe('{"id":"x"}')
})
