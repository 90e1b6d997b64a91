import { stemmer } from 'stemmer'

/**
 * The words of a search, as terms that are joined by AND. Nothing in them is an operator but `"a phrase"`, `word*` and `*part*`.
 */
export interface SearchTerm {
  /** One or more normalized words that stand next to each other. */
  words: string[]
  /** How the last word is found: in any of its forms, as the beginning of a word, or anywhere in one. */
  match: 'word' | 'prefix' | 'part'
}

/** More terms than this make no search better. */
const TERM_LIMIT = 32
const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu

/** The form in which words are compared: lower case, without marks. The same as FTS5's `unicode61 remove_diacritics 2` gives. */
export const normalizeWord = (word: string): string => word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** The words of a text in their normalized form. PostgreSQL indexes these, so that both databases find the same words. */
export const wordsOf = (text: string): string[] =>
  Array.from(text.matchAll(WORD), ([word]) => normalizeWord(word)).filter((word) => word !== '')

/** FTS5 leaves longer words alone. */
const STEM_LIMIT = 64

/**
 * What all forms of an English word have in common, as FTS5's `porter` gives it (checked by a test): `decid` of `decided`.
 *
 * @param word  normalized
 */
export const stemOf = (word: string): string => (word.length > STEM_LIMIT ? word : stemmer(word))

/** Weight of a match in what a tool gave out; one in what somebody said weighs 1. */
export const OUTPUT_RANK = 0.3

/** Reads a search text. Terms without any letter or digit are left out. */
export function parseSearch(text: string): SearchTerm[] {
  const terms: SearchTerm[] = []
  for (const [, phrase, word] of text.matchAll(/"([^"]*)"?|([^\s"]+)/g)) {
    const words = wordsOf(phrase ?? word ?? '')
    if (words.length > 0) terms.push({ words, match: matchOf(word) })
    if (terms.length === TERM_LIMIT) break
  }
  return terms
}

function matchOf(word: string | undefined): SearchTerm['match'] {
  if (word?.startsWith('*') === true) return 'part'
  return word?.endsWith('*') === true ? 'prefix' : 'word'
}

const MATCH_START = '\u0002'
const MATCH_END = '\u0003'
/** Characters of a snippet, marks not counted. */
const SNIPPET_LENGTH = 200
const BEFORE_MATCH = 60

/** Where in `text` a word of one of the terms stands. */
export function findMatches(text: string, terms: readonly SearchTerm[]): { start: number; end: number }[] {
  const stems = new Set<string>()
  const prefixes: string[] = []
  const parts: string[] = []
  for (const { words, match } of terms) {
    words.forEach((word, i) => {
      if (match === 'part') parts.push(word)
      else if (match === 'prefix' && i === words.length - 1) prefixes.push(stemOf(word))
      else stems.add(stemOf(word))
    })
  }
  const matches: { start: number; end: number }[] = []
  for (const found of text.matchAll(WORD)) {
    const word = normalizeWord(found[0])
    const stem = stemOf(word)
    const isMatch =
      stems.has(stem) || prefixes.some((prefix) => stem.startsWith(prefix)) || parts.some((part) => word.includes(part))
    if (!isMatch) continue
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
