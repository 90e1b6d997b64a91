/**
 * Text from agents, files and the network on its way to a terminal. Everything that a terminal could take for a command is
 * removed or made visible, and width is counted in terminal cells.
 */

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g
const CONTROL_TEST = new RegExp(CONTROL.source)
/** Marks that change the direction of what follows, or show as nothing at all: they make one text look like another. */
const INVISIBLE = /[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu

/**
 * Makes text safe to print on one line: ANSI sequences removed, line breaks and tabs turned to spaces, other control
 * characters shown as `\x1b`, marks of direction and invisible ones removed, half surrogates replaced.
 */
export function oneLine(text: string): string {
  return stripSequences(text)
    .replace(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' ')
    .replace(CONTROL, visible)
    .replace(INVISIBLE, '')
    .toWellFormed()
    .replace(/ {2,}/g, ' ')
    .trim()
}

/** As `oneLine`, but keeps line breaks and turns tabs into two spaces. */
export function block(text: string): string {
  return stripSequences(text)
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n')
    .replace(/\t/g, '  ')
    .replace(/[^\n]+/g, (line) => line.replace(CONTROL, visible).replace(INVISIBLE, ''))
    .toWellFormed()
}

/**
 * Makes a text of JSON lines safe to print, and leaves its values as they are: what a terminal could take for a command, or show as another
 * text, becomes an escape of JSON.
 */
export const jsonLines = (text: string): string =>
  text.replace(/[^\n]+/g, (line) => line.replace(CONTROL, escapes).replace(INVISIBLE, escapes))

const escapes = (signs: string): string =>
  signs.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Whole sequences go, with their text (titles, links); what is left of broken ones is shown by `visible`. */
function stripSequences(text: string): string {
  return CONTROL_TEST.test(text) ? Bun.stripANSI(text) : text
}

function visible(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}

/** Terminal cells that `text` takes (wide characters 2, marks 0). */
export function width(text: string): number {
  return isAscii(text) ? text.length : Bun.stringWidth(text)
}

/** Cuts to at most `cells` cells, at whole characters as a person sees them, ending in `...` when something was left out. */
export function cut(text: string, cells: number): string {
  if (width(text) <= cells) return text
  if (cells <= 3) return '.'.repeat(Math.max(0, cells))
  if (isAscii(text)) return `${text.slice(0, cells - 3).trimEnd()}...`
  let kept = ''
  let used = 0
  for (const { segment } of new Intl.Segmenter().segment(text.slice(0, cells * 16))) {
    const next = width(segment)
    if (used + next > cells - 3) break
    kept += segment
    used += next
  }
  return `${kept.trimEnd()}...`
}

/** Fills up with spaces to `cells` cells, on the right or (for numbers) on the left. */
export function pad(text: string, cells: number, side: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, cells - width(text)))
  return side === 'left' ? text + space : space + text
}

/** Breaks at spaces so that no line is wider than `cells`; a longer word stands alone. */
export function wrap(text: string, cells: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    if (line !== '' && width(line) + 1 + width(word) > cells) {
      lines.push(line)
      line = ''
    }
    line = line === '' ? word : `${line} ${word}`
  }
  lines.push(line)
  return lines
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}
