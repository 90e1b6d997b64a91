/**
 * What a person typed into the search box, as terms that are joined by AND. Nothing in it is an operator but `"a phrase"`
 * and `word*`.
 */
export interface SearchTerm {
  /** One or more normalized words that stand next to each other. */
  words: string[]
  /** The last word may go on. */
  isPrefix: boolean
}

/** More terms than this make no search better. */
const TERM_LIMIT = 32
const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu

/** The form in which words are compared: lower case, without marks. The same as FTS5's `unicode61 remove_diacritics 2` gives. */
export const normalizeWord = (word: string): string => word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** The words of a text in their normalized form. PostgreSQL indexes these, so that both databases find the same words. */
export const wordsOf = (text: string): string[] =>
  Array.from(text.matchAll(WORD), ([word]) => normalizeWord(word)).filter((word) => word !== '')

/** Reads a search text. Terms without any letter or digit are left out. */
export function parseSearch(text: string): SearchTerm[] {
  const terms: SearchTerm[] = []
  for (const [, phrase, word] of text.matchAll(/"([^"]*)"?|([^\s"]+)/g)) {
    const words = wordsOf(phrase ?? word ?? '')
    if (words.length > 0) terms.push({ words, isPrefix: word?.endsWith('*') === true })
    if (terms.length === TERM_LIMIT) break
  }
  return terms
}

const MATCH_START = '\u0002'
const MATCH_END = '\u0003'
/** Characters of a snippet, marks not counted. */
const SNIPPET_LENGTH = 200
const BEFORE_MATCH = 60

/** Where in `text` a word of one of the terms stands. */
export function findMatches(text: string, terms: readonly SearchTerm[]): { start: number; end: number }[] {
  const exact = new Set<string>()
  const prefixes: string[] = []
  for (const { words, isPrefix } of terms) {
    words.forEach((word, i) => {
      if (isPrefix && i === words.length - 1) prefixes.push(word)
      else exact.add(word)
    })
  }
  const matches: { start: number; end: number }[] = []
  for (const found of text.matchAll(WORD)) {
    const word = normalizeWord(found[0])
    if (!exact.has(word) && !prefixes.some((prefix) => word.startsWith(prefix))) continue
    matches.push({ start: found.index, end: found.index + found[0].length })
  }
  return matches
}

/** The text around its first match in whole words, at most 200 characters, with the matches between `\u0002` and `\u0003`. */
export function makeSnippet(text: string, terms: readonly SearchTerm[]): string {
  const plain = text.replaceAll(MATCH_START, ' ').replaceAll(MATCH_END, ' ')
  const matches = findMatches(plain, terms)
  const first = matches[0] ?? { start: 0, end: 0 }
  const from = wordBegin(plain, Math.max(0, first.start - BEFORE_MATCH), first.start)
  const to = wordEnd(plain, Math.min(plain.length, from + SNIPPET_LENGTH - 2), first.end)
  let snippet = from > 0 ? '…' : ''
  let at = from
  for (const { start, end } of matches) {
    if (end > to) break
    snippet += `${plain.slice(at, start)}${MATCH_START}${plain.slice(start, end)}${MATCH_END}`
    at = end
  }
  return (snippet + plain.slice(at, to) + (to < plain.length ? '…' : '')).toWellFormed()
}

/** Characters that are given up at an edge so that no word is cut; longer words are. */
const EDGE = 24

/** Where the next word begins, unless `from` is a beginning. */
function wordBegin(text: string, from: number, before: number): number {
  if (from === 0 || /\s/.test(text[from - 1] ?? '')) return from
  const gap = text.slice(from, Math.min(from + EDGE, before)).search(/\s/)
  return gap < 0 ? from : from + gap + 1
}

/** Where the word before ends, unless `to` is an end. */
function wordEnd(text: string, to: number, after: number): number {
  if (to === text.length || /\s/.test(text[to] ?? '')) return to
  const gap = text.slice(Math.max(to - EDGE, after), to).search(/\s\S*$/)
  return gap < 0 ? to : Math.max(to - EDGE, after) + gap
}
