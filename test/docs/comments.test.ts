/** Comments say the thing first. What these patterns find had to be read twice: `Of new ids, without the hyphen` for a prefix. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './documents'

const HARD = {
  'a sentence that begins with "Of"': /(?:^|[.;!?] +)Of /,
  'a sentence that begins with "Who", "Whom" or "Whose"': /(?:^|[.;!?] +)Who(?:m|se)? /,
  '"is told" for a report': /\b(?:is|are|was|were|be|been|being) told\b/,
  '"tells of" for a report, and "unless told" for a default': /\btells? of\b|\bunless told\b/i,
  '"whom"': /\bwhom\b/,
}

/** The comments of a source as text, with the lines that they begin on. */
function comments(source: string): { line: number; text: string }[] {
  const found: { line: number; text: string; isOpen: boolean }[] = []
  for (const [at, raw] of source.split('\n').entries()) {
    const part = /^\s*(\/\*\*|\*(?!\/)|\/\/)(.*)$/.exec(raw)
    const last = found.at(-1)
    const goesOn = last?.isOpen === true
    if (last !== undefined) last.isOpen = false
    if (part === null) continue
    const [, mark = '', rest = ''] = part
    const text = rest.replace('*/', '').trim()
    const isOpen = !rest.includes('*/')
    if (goesOn && mark !== '/**' && last !== undefined)
      Object.assign(last, { text: `${last.text} ${text}`.trim(), isOpen })
    else if (mark !== '*') found.push({ line: at + 1, text, isOpen })
  }
  return found.map(({ line, text }) => ({ line, text }))
}

test('comments are in plain words', () => {
  const bad: string[] = []
  for (const place of ['src', 'web/src', 'scripts', 'bench', 'test', 'plugin'])
    for (const path of new Bun.Glob(`${place}/**/*.{ts,tsx,mjs}`).scanSync({ cwd: ROOT })) {
      if (/(^|\/)(node_modules|fixtures)\//.test(path)) continue
      for (const { line, text } of comments(readFileSync(join(ROOT, path), 'utf8')))
        for (const [what, pattern] of Object.entries(HARD))
          if (pattern.test(text)) bad.push(`${path}:${line}: ${what}: ${text.slice(0, 120)}`)
    }
  expect(bad).toEqual([])
})

test('a comment over several lines is read as one, and lines of code part comments', () => {
  const source = '/**\n * One thing.\n * Of another.\n */\nconst a = 1\n// Who\n// comes.\nconst b = 2 // not read\n'
  expect(comments(source)).toEqual([
    { line: 1, text: 'One thing. Of another.' },
    { line: 6, text: 'Who comes.' },
  ])
})
