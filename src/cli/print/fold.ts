/** Long lines on their way to a terminal: broken between words, and the rest set below where the text began. */
import { width, wrap } from './text'

/** A name and its value stand this far from one another, so the rest of the value goes below it. */
const COLUMN = /^\s*\S+(?: \S+)*\s{2,}(?=\S)/
const BULLET = /^\s*[-*] /
/** A value that begins further right than this part of a line leaves too little room below itself. */
const RIGHTMOST = 0.4

/**
 * Breaks each line that is wider than the terminal. Lines keep their own indentation.
 *
 * @param columns  cells of the terminal; 0 = there is none, and nothing is changed
 * @param hang     how much further in the rest of an ordinary line begins
 */
export function fold(text: string, columns: number, hang = 2): string {
  if (columns <= 0) return text
  return text
    .split('\n')
    .map((line) => (width(line) <= columns ? line : foldLine(line, columns, hang)))
    .join('\n')
}

function foldLine(line: string, columns: number, hang: number): string {
  const indent = line.length - line.trimStart().length
  const start = COLUMN.exec(line)?.[0] ?? BULLET.exec(line)?.[0] ?? ''
  const isColumn = start !== '' && width(start) <= columns * RIGHTMOST
  const head = isColumn ? start : line.slice(0, indent)
  const below = isColumn ? width(start) : Math.min(indent + hang, Math.floor(columns / 2))
  const rest = line.slice(head.length)
  // The first line has more room than those below it: it takes what fits, and the rest is broken anew.
  const [first = ''] = wrap(rest, columns - width(head))
  const words = rest.trim().split(/\s+/).slice(first.split(' ').length)
  // Broken between words it has one blank where there were more, and fits.
  if (words.length === 0) return head + first
  const others = wrap(words.join(' '), columns - below)
  return [head + first, ...others.map((each) => ' '.repeat(below) + each)].join('\n')
}

/**
 * A text of help, whose source has lines of its own, in lines of another width: ordinary lines that follow one another are one paragraph,
 * and a line that begins further in than the one above goes on with it.
 */
export function reflow(text: string, columns: number): string {
  const paragraphs: string[] = []
  for (const line of text.split('\n')) {
    const above = paragraphs.at(-1)
    if (above !== undefined && goesOn(above, line)) paragraphs.push(`${paragraphs.pop()} ${line.trim()}`)
    else paragraphs.push(line)
  }
  return paragraphs.map((each) => fold(each, columns, 0)).join('\n')
}

function goesOn(above: string, line: string): boolean {
  if (above.trim() === '' || line.trim() === '') return false
  const [before, now] = [indentOf(above), indentOf(line)]
  return before === 0 ? now === 0 : now > before
}

const indentOf = (line: string): number => line.length - line.trimStart().length
