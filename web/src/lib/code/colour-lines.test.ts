import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { CODE_CLASSES, type Runs } from './colour-kinds'
import { colourLines, MAX_BLOCK, MAX_LINE } from './colour-lines'
import { newHighlighter } from './grammars'
import { LANGUAGES, languageOfFence, languageOfFile } from './languages'

const highlighter = newHighlighter()

/** The pieces of a line that have a colour. */
function coloured(text: string, runs: Runs = []): [piece: string, kind: string][] {
  const pieces: [string, string][] = []
  let from = 0
  for (let at = 0; at < runs.length; at += 2) {
    const look = CODE_CLASSES[runs[at + 1] ?? 0]
    if (look) pieces.push([text.slice(from, runs[at]), look.replace('text-code-', '')])
    from = runs[at] ?? from
  }
  return pieces
}

const inLanguage = (language: string, ...lines: string[]) => {
  const runs = colourLines(highlighter, language, lines)
  return lines.map((line, at) => coloured(line, runs[at]))
}

describe('code is coloured', () => {
  test('by what its words are', () => {
    const [line = []] = inLanguage('typescript', `const a = "x" + 12 // why`)
    expect(line).toEqual([
      ['const', 'keyword'],
      ['"x"', 'string'],
      ['12', 'number'],
      ['// why', 'comment'],
    ])
  })

  test('over several lines, each by itself', () => {
    const [first, second, third] = inLanguage('typescript', '/* one', 'two */ let a', 'let b')
    expect(first).toEqual([['/* one', 'comment']])
    expect(second).toEqual([
      ['two */', 'comment'],
      ['let', 'keyword'],
    ])
    expect(third).toEqual([['let', 'keyword']])
  })

  test('at the right place behind characters that HTML escapes', () => {
    const line = `if (a < b && c > '<script>&amp;&#x27;</script>') return "</span>" // <b>`
    const [pieces = []] = inLanguage('javascript', line)
    expect(pieces).toContainEqual([`'<script>&amp;&#x27;</script>'`, 'string'])
    expect(pieces).toContainEqual(['"</span>"', 'string'])
    expect(pieces).toContainEqual(['// <b>', 'comment'])
  })

  test('although a line has breaks within, or is too long', () => {
    const long = `"${'x'.repeat(100_000)}"`
    expect(long.length).toBeGreaterThan(MAX_LINE)
    const [odd, tooLong, last] = inLanguage('typescript', 'let a\n= 1\r', long, 'let b')
    expect(odd).toContainEqual(['let', 'keyword'])
    expect(tooLong).toEqual([])
    expect(last).toEqual([['let', 'keyword']])
  })

  test('up to a size, behind which it stays plain', () => {
    const lines = Array.from({ length: 50_000 }, () => `const colour = 'of a line' // ${'.'.repeat(20)}`)
    const runs = colourLines(highlighter, 'typescript', lines)
    const size = (lines[0]?.length ?? 0) + 1
    expect(runs.length).toBe(Math.floor(MAX_BLOCK / size))
    expect(runs.at(-1)).toEqual(runs[0])
  })

  test('not within a character, and not at all if what is written back is something else', () => {
    const written = (value: string) => colourLines({ highlight: () => ({ value }) }, 'any', ['😀x'])
    const [first = '', second = ''] = '😀'.split('')
    expect(written(`<span class="hljs-string">${first}</span>${second}x`)).toEqual([[2, 2, 3, 0]])
    expect(written('<span class="hljs-string">😀</span>x')).toEqual([[2, 2, 3, 0]])
    expect(written('<span class="hljs-string">😀</span>')).toEqual([])
    expect(written('😀\nx')).toEqual([])
  })

  test('in each language that there is', () => {
    for (const language of LANGUAGES) expect(() => colourLines(highlighter, language, ['a "b" 1'])).not.toThrow()
  })

  test('whatever the text is, within its lines and not within a character', () => {
    const line = fc.array(
      fc.constantFrom(
        '<',
        '&',
        '>',
        '"',
        "'",
        '`',
        '${',
        '}',
        '😀',
        '\u{1d4d0}',
        '/*',
        '*/',
        '#',
        'let ',
        '\\',
        '\r',
        ' ',
        '1',
        '@',
      ),
    )
    fc.assert(
      fc.property(fc.constantFrom(...LANGUAGES), fc.array(line, { minLength: 1, maxLength: 6 }), (language, parts) => {
        const lines = parts.map((pieces) => pieces.join(''))
        const all = colourLines(highlighter, language, lines)
        expect(all.length).toBe(lines.length)
        for (const [at, runs] of all.entries()) {
          const text = lines[at] ?? ''
          const ends = runs.filter((_, place) => place % 2 === 0)
          expect(ends).toEqual([...ends].sort((a, b) => a - b))
          for (const end of ends) {
            expect(end).toBeLessThanOrEqual(text.length)
            expect(/[\ud800-\udbff]$/.test(text.slice(0, end))).toBe(false)
          }
          for (const [place, kind] of runs.entries()) if (place % 2 === 1) expect(CODE_CLASSES[kind]).toBeDefined()
        }
      }),
    )
  })
})

describe('the language of', () => {
  test('a file is known by its ending or name, and else none', () => {
    const known = [
      'src/a.ts',
      'C:\\x\\B.TSX',
      'x/Dockerfile',
      'Dockerfile.dev',
      'a/.bashrc',
      'GNUmakefile',
      'a.test.py',
    ]
    expect(known.map(languageOfFile)).toEqual([
      'typescript',
      'typescript',
      'dockerfile',
      'dockerfile',
      'bash',
      'makefile',
      'python',
    ])
    const unknown = ['', 'README', 'a.', '.ts/', 'x.unknown', 'a.constructor', 'a.__proto__', 'toString', 'ts']
    expect(unknown.map(languageOfFile)).toEqual(unknown.map(() => null))
  })

  test('a fence is known by its word', () => {
    expect(['TS', 'python', 'console', 'c++', '{.ts}', 'constructor', ''].map(languageOfFence)).toEqual([
      'typescript',
      'python',
      'bash',
      'cpp',
      null,
      null,
      null,
    ])
  })
})
