import { stemmer } from 'stemmer'

/**
 * The words of a search, as terms that are joined by AND. Nothing in them is an operator but `"a phrase"`, `word*` and `*part*`.
 */
export interface SearchTerm {
  /** One or more normalized words that stand next to each other. */
  words: string[]
  /** The same as they were typed: FTS5 reads them as it has read the texts, also where it takes marks for letters, or parts words at them. */
  typed: string[]
  /** How the last word is found: in any of its forms, as the beginning of a word, or anywhere in one. */
  match: 'word' | 'prefix' | 'part'
}

/** More terms than this make no search better. */
const TERM_LIMIT = 32
const WORD = /[\p{L}\p{N}\p{M}\p{Co}]+/gu

/** Within ASCII, which most texts are, the same as `WORD`. */
const ASCII_WORD = /[a-z\d]+/g
const BEYOND_ASCII = /[^\0-\x7f]/

/** The form in which words are compared: lower case, without marks. For Latin letters the same as FTS5's `unicode61 remove_diacritics 2` gives. */
export const normalizeWord = (word: string): string =>
  BEYOND_ASCII.test(word) ? word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase() : word.toLowerCase()

/** The words of a text in their normalized form. PostgreSQL indexes these, so that both databases find the same words. */
export function wordsOf(text: string): string[] {
  if (!BEYOND_ASCII.test(text)) return text.toLowerCase().match(ASCII_WORD) ?? []
  return (text.match(WORD) ?? []).map(normalizeWord).filter((word) => word !== '')
}

/** FTS5 leaves longer words alone. */
const STEM_LIMIT = 64

/**
 * What all forms of an English word have in common, as FTS5's `porter` gives it (checked by a test): `decid` of `decided`.
 *
 * @param word  normalized
 */
export function stemOf(word: string): string {
  if (word.length > STEM_LIMIT) return word
  const known = stems.get(word)
  if (known !== undefined) return known
  if (stems.size === KNOWN_STEMS) stems.clear()
  // A part of a text would keep the whole text in memory.
  const own = Buffer.from(word).toString()
  const stem = stemmer(own)
  stems.set(own, stem)
  return stem
}

/** Texts repeat their words: looking one up takes a twentieth of working it out. */
const stems = new Map<string, string>()
const KNOWN_STEMS = 50_000

/** Weight of a match in what a tool gave out; one in what somebody said weighs 1. */
export const OUTPUT_RANK = 0.3

/** Reads a search text. Terms without any letter or digit are left out. */
export function parseSearch(text: string): SearchTerm[] {
  const terms: SearchTerm[] = []
  for (const [, phrase, word] of text.matchAll(/"([^"]*)"?|([^\s"]+)/g)) {
    const typed = ((phrase ?? word ?? '').match(WORD) ?? []).filter((one) => normalizeWord(one) !== '')
    if (typed.length > 0) terms.push({ words: typed.map(normalizeWord), typed, match: matchOf(word) })
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

/** Whether a word as it stands in a text is one that was searched for. */
export type WordMatcher = (word: string) => boolean

/** Tells words of texts apart. It remembers each word: the lines that a search shows have the same ones again and again. */
export function wordMatcher(terms: readonly SearchTerm[]): WordMatcher {
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
  const isMatch = (raw: string): boolean => {
    const word = normalizeWord(raw)
    const stem = stemOf(word)
    return (
      stems.has(stem) || prefixes.some((prefix) => stem.startsWith(prefix)) || parts.some((part) => word.includes(part))
    )
  }
  const known = new Map<string, boolean>()
  return (raw) => {
    const before = known.get(raw)
    if (before !== undefined) return before
    const found = isMatch(raw)
    known.set(raw, found)
    return found
  }
}

/** Where in `text` words of the search stand, one after another as they are asked for. */
export function* matchesIn(text: string, matcher: WordMatcher): Generator<{ start: number; end: number }, void> {
  for (const { 0: word, index } of text.matchAll(WORD))
    if (matcher(word)) yield { start: index, end: index + word.length }
}

/**
 * The text around its first match in whole words, at most 200 characters, with the matches between `\u0002` and `\u0003`.
 * Without a match its beginning. No word behind those 200 characters is looked at.
 *
 * @param head  stands before it where the beginning of `text` does not: a few words
 */
export function makeSnippet(text: string, matcher: WordMatcher, head = ''): { snippet: string; hasMatch: boolean } {
  const plain = text.replaceAll(MATCH_START, ' ').replaceAll(MATCH_END, ' ')
  const matches = matchesIn(plain, matcher)
  const found = matches.next().value
  const first = found ?? { start: 0, end: 0 }
  const from = wordBegin(plain, Math.max(0, first.start - BEFORE_MATCH), first.start)
  const room = SNIPPET_LENGTH - 2 - (from > 0 ? head.length : 0)
  const to = wordEnd(plain, Math.min(plain.length, from + room), first.end)
  let snippet = from > 0 ? `${head}…` : ''
  let at = from
  for (let match = found; match !== undefined && match.end <= to; match = matches.next().value ?? undefined) {
    snippet += `${plain.slice(at, match.start)}${MATCH_START}${plain.slice(match.start, match.end)}${MATCH_END}`
    at = match.end
  }
  snippet += plain.slice(at, to) + (to < plain.length ? '…' : '')
  return { snippet: snippet.toWellFormed(), hasMatch: found !== undefined }
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
