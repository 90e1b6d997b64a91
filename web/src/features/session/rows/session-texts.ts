import { visibleText } from '../../../lib/visible-text'

/** The beginning of a text: at most `lines` lines that are not empty, and about `characters` characters. */
export function beginningOf(text: string, lines: number, characters = lines * 110): { text: string; isCut: boolean } {
  let end = 0
  for (let line = 0; line < lines && end < text.length; ) {
    const next = text.indexOf('\n', end)
    const begin = end
    end = next < 0 ? text.length : next + 1
    // Many empty lines count, too.
    if (end - begin > 1 || end > 20 * lines) line++
  }
  const until = Math.min(end, characters)
  if (until >= text.trimEnd().length) return { text, isCut: false }
  // Do not split a surrogate pair.
  const cut = /[\ud800-\udbff]/.test(text[until - 1] ?? '') ? until - 1 : until
  return { text: text.slice(0, cut).trimEnd(), isCut: true }
}

/** Closes a code block that was cut, so that the beginning looks like the full text. */
export function closeFences(markdown: string): string {
  const fences = markdown.match(/^ {0,3}(```+|~~~+)/gm) ?? []
  return fences.length % 2 === 0 ? markdown : `${markdown}\n${fences.at(-1)?.trim() ?? '```'}`
}

/** Splits the snippet of a search hit. Matches are between U+0002 and U+0003. */
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

/** A line of a patch. */
export interface PatchLine {
  sign: '+' | '-' | ' '
  /** Line numbers before and after; `null` on a side without the line. */
  old: number | null
  new: number | null
  text: string
}

/** The lines of a hunk with their numbers. A side that starts at 0 has none: its place is unknown, or the file is new. */
export function patchLines(hunk: { oldStart: number; newStart: number; lines: readonly string[] }): PatchLine[] {
  let [old, now] = [hunk.oldStart, hunk.newStart]
  const lines: PatchLine[] = []
  for (const line of hunk.lines) {
    const [first] = line
    // `\ No newline at end of file` is not a line of either side.
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
