import { visibleText } from './visible-text'

/** The beginning of a text: at most so many lines with something on them, and about so many characters. */
export function beginningOf(text: string, lines: number, characters = lines * 110): { text: string; isCut: boolean } {
  let end = 0
  for (let line = 0; line < lines && end < text.length; ) {
    const next = text.indexOf('\n', end)
    const begin = end
    end = next < 0 ? text.length : next + 1
    // A text of empty lines has a beginning, too.
    if (end - begin > 1 || end > 20 * lines) line++
  }
  const until = Math.min(end, characters)
  if (until >= text.trimEnd().length) return { text, isCut: false }
  // Not between the halves of a character.
  const cut = /[\ud800-\udbff]/.test(text[until - 1] ?? '') ? until - 1 : until
  return { text: text.slice(0, cut).trimEnd(), isCut: true }
}

/** Closes a block of code that the cut left open, so that what is shown looks as it will. */
export function closeFences(markdown: string): string {
  const fences = markdown.match(/^ {0,3}(```+|~~~+)/gm) ?? []
  return fences.length % 2 === 0 ? markdown : `${markdown}\n${fences.at(-1)?.trim() ?? '```'}`
}

/** Parts of a search hit: matches stand between U+0002 and U+0003. */
export function snippetParts(snippet: string): { text: string; isMatch: boolean }[] {
  const parts: { text: string; isMatch: boolean }[] = []
  for (const [index, piece] of snippet.split('\u0002').entries()) {
    const [match = '', rest] = piece.split('\u0003')
    if (index > 0 && rest !== undefined) parts.push({ text: visibleText(match), isMatch: true })
    const plain = index > 0 && rest !== undefined ? rest : piece.replaceAll('\u0003', '')
    if (plain !== '') parts.push({ text: visibleText(plain), isMatch: false })
  }
  return parts
}

export interface PatchLine {
  sign: '+' | '-' | ' '
  /** Numbers of the line before and after; `null` on the side where it is not. */
  old: number | null
  new: number | null
  text: string
}

/** Lines of one part of a patch with their numbers; none where a side begins at 0: its place is not known, or it is a new file. */
export function patchLines(hunk: { oldStart: number; newStart: number; lines: readonly string[] }): PatchLine[] {
  let [old, now] = [hunk.oldStart, hunk.newStart]
  const lines: PatchLine[] = []
  for (const line of hunk.lines) {
    const [first] = line
    // `\ No newline at end of file` is no line of either.
    if (first === '\\') continue
    const sign = first === '+' || first === '-' ? first : ' '
    lines.push({
      sign,
      old: sign === '+' || hunk.oldStart === 0 ? null : old,
      new: sign === '-' || hunk.newStart === 0 ? null : now,
      text: line.slice(1),
    })
    if (sign !== '+') old++
    if (sign !== '-') now++
  }
  return lines
}
