/** Colours code. Loaded by the worker alone: highlight.js and its languages are too large for the page, and too slow for its thread. */
import { kindOf, type Runs } from './colour-kinds'

/** Longer lines stay plain: nobody wrote them, and one could hold tens of thousands of stretches. */
export const MAX_LINE = 2_000
/** Characters of one block of code that are coloured; its lines behind them stay plain. */
export const MAX_BLOCK = 1_000_000

/** What is used of highlight.js. */
export interface Highlighter {
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { value: string }
}

/** Pieces of what highlight.js writes: its own tags, the five characters that it escapes, and text. */
const PIECE = /<span class="([^"]*)">|<\/span>|&(?:amp|lt|gt|quot|#x27);|[^<&]+/g

/**
 * @param language  one that is registered there
 * @returns the colours of each line, as many as there are lines or fewer
 */
export function colourLines(highlighter: Highlighter, language: string, lines: readonly string[]): Runs[] {
  const texts = textsOf(lines)
  const { value } = highlighter.highlight(texts.join('\n'), { language, ignoreIllegals: true })
  const runs = readRuns(value)
  // What is written back must be what was given; else its colours would stand at wrong places.
  const isWhole = runs.length === texts.length && runs.every(({ length }, at) => length === texts[at]?.length)
  return isWhole ? runs.map(({ stretches }, at) => withWholeLetters(stretches, texts[at] ?? '')) : []
}

/** What is given to highlight.js: a line of it for each line, of the same length where it is coloured. */
function textsOf(lines: readonly string[]): string[] {
  const texts: string[] = []
  let total = 0
  for (const line of lines) {
    const text = line.length > MAX_LINE ? '' : line.replace(/[\r\n]/g, ' ')
    total += text.length + 1
    if (total > MAX_BLOCK) break
    texts.push(text)
  }
  return texts
}

interface ColouredLine {
  stretches: number[]
  length: number
}

function readRuns(html: string): ColouredLine[] {
  let line: ColouredLine = { stretches: [], length: 0 }
  const lines = [line]
  const open = [0]
  const add = (length: number) => {
    if (length === 0) return
    const kind = open.at(-1) ?? 0
    const { stretches } = line
    line.length += length
    if (stretches.at(-1) === kind && stretches.length > 0) stretches[stretches.length - 2] = line.length
    else stretches.push(line.length, kind)
  }
  for (const [piece, classes] of html.matchAll(PIECE)) {
    if (classes !== undefined) open.push(kindOf(classes, open.at(-1) ?? 0))
    else if (piece === '</span>') open.pop()
    else if (piece.startsWith('&')) add(1)
    else {
      for (const [at, part] of piece.split('\n').entries()) {
        if (at > 0) {
          line = { stretches: [], length: 0 }
          lines.push(line)
        }
        add(part.length)
      }
    }
  }
  return lines
}

/** A stretch that ends within a character of two units, which some languages' rules make, would show two broken ones. */
function withWholeLetters(stretches: readonly number[], text: string): number[] {
  const isInside = (end: number) => (text.codePointAt(end - 1) ?? 0) > 0xffff && end < text.length
  return stretches.map((value, at) => (at % 2 === 0 && isInside(value) ? value + 1 : value))
}
