import { visibleText } from '../../lib/visible-text'

/** Splits a text at the words that a pattern finds. `null` finds none. */
export function markedParts(text: string, pattern: RegExp | null): { text: string; isMatch: boolean }[] {
  const parts: { text: string; isMatch: boolean }[] = []
  let at = 0
  for (const { 0: word, index } of pattern === null ? [] : text.matchAll(pattern)) {
    if (index > at) parts.push({ text: visibleText(text.slice(at, index)), isMatch: false })
    parts.push({ text: visibleText(word), isMatch: true })
    at = index + word.length
  }
  if (at < text.length) parts.push({ text: visibleText(text.slice(at)), isMatch: false })
  return parts
}
