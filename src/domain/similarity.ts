/** Characters of each text that are compared by default: what a line such as a to-do is about stands at its beginning. */
const COMPARED_CHARACTERS = 200
/** Words that differ are compared with one another only while there are few: a pair of texts costs a few microseconds. */
const COMPARED_WORDS = 8
/** Two words are forms of one word from here on: `test` and `tests`, not `login` and `logout`. */
const SAME_WORD = 0.75
/** Texts of the same words in another order, or with other marks between them. */
const SAME_WORDS = 0.95
/** Texts that tell two things apart by number or letter, however much else they share: `Phase 1: tests`, `Phase 2: tests`. */
const OTHER_NUMBER = 0.5
/** One text says all that the other says, and somewhat more. */
const REFINED = 0.75

/** A text as `compareWords` takes it: made once where one text is compared with many. */
export interface Words {
  /** Lower case, one blank between words. */
  text: string
  /** How often each word is there. */
  counts: ReadonlyMap<string, number>
  /** Characters of all words. */
  length: number
}

/** The words of a text's first `characters` characters. */
export function wordsOf(text: string, characters = COMPARED_CHARACTERS): Words {
  const counts = new Map<string, number>()
  const words =
    text
      .slice(0, characters)
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  let length = 0
  for (const word of words) {
    counts.set(word, (counts.get(word) ?? 0) + 1)
    length += word.length
  }
  return { text: words.join(' '), counts, length }
}

/**
 * How alike two short texts are: 1 = the same but for case and marks, 0 = nothing in common. Symmetric; cheap for texts of any length.
 *
 * The share of common words, by their length. Forms of one word count as much as they share; where both texts have a number or
 * single letter that the other has not, they are about two things. Meant for lines such as to-dos: from 0.65 on they are one
 * (`Write tests`, `Write unit tests`), `Fix login` and `Fix logout` are below.
 *
 * @param characters  of each text that are compared
 */
export function similarity(a: string, b: string, characters = COMPARED_CHARACTERS): number {
  return a === b ? 1 : compareWords(wordsOf(a, characters), wordsOf(b, characters))
}

/** As `similarity`, for texts whose words are known. Texts without a word are like nothing. */
export function compareWords(a: Words, b: Words): number {
  if (a.length === 0 || b.length === 0) return 0
  if (a.text === b.text) return 1
  let common = 0
  const onlyA: string[] = []
  for (const [word, count] of a.counts) {
    const both = Math.min(count, b.counts.get(word) ?? 0)
    common += both * word.length * 2
    if (both < count) onlyA.push(word)
  }
  const onlyB: string[] = []
  for (const [word, count] of b.counts) if ((a.counts.get(word) ?? 0) < count) onlyB.push(word)
  if (onlyA.length > 0 && onlyB.length > 0) {
    common += formsOf(onlyA, onlyB)
    const score = Math.min(SAME_WORDS, common / (a.length + b.length))
    return onlyA.some(tellsApart) && onlyB.some(tellsApart) ? Math.min(score, OTHER_NUMBER) : score
  }
  const score = Math.min(SAME_WORDS, common / (a.length + b.length))
  const [shorter, longer] = a.length < b.length ? [a, b] : [b, a]
  const isRefined = shorter.counts.size >= 2 && longer.length <= 3 * shorter.length
  return isRefined ? Math.max(score, REFINED) : score
}

/** Numbers, and letters that stand alone. */
const tellsApart = (word: string): boolean => /^(?:.|.*\p{N}.*)$/u.test(word)

/** What words of one text share with words of the other that are forms of them, in characters of both. */
function formsOf(onlyA: readonly string[], onlyB: readonly string[]): number {
  if (onlyA.length > COMPARED_WORDS || onlyB.length > COMPARED_WORDS) return 0
  const pairs: { word: string; other: string; score: number }[] = []
  for (const word of onlyA)
    for (const other of onlyB) {
      const score = pairScore(word, other)
      if (score >= SAME_WORD) pairs.push({ word, other, score })
    }
  let common = 0
  const used = new Set<string>()
  const byScore = (a: (typeof pairs)[number], b: (typeof pairs)[number]): number =>
    b.score - a.score || (unordered(a) < unordered(b) ? -1 : 1)
  for (const { word, other, score } of pairs.sort(byScore)) {
    if (used.has(`a ${word}`) || used.has(`b ${other}`)) continue
    used.add(`a ${word}`).add(`b ${other}`)
    common += score * (word.length + other.length)
  }
  return common
}

/** The same whichever text came first. */
const unordered = ({ word, other }: { word: string; other: string }): string =>
  word < other ? `${word} ${other}` : `${other} ${word}`

/** The share of common pairs of neighbouring characters (Dice). */
function pairScore(a: string, b: string): number {
  if (a.length < 2 || b.length < 2 || Math.min(a.length, b.length) * 2 < Math.max(a.length, b.length)) return 0
  const pairs = new Map<string, number>()
  for (let at = 1; at < a.length; at++) {
    const pair = a.slice(at - 1, at + 1)
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
  }
  let common = 0
  for (let at = 1; at < b.length; at++) {
    const pair = b.slice(at - 1, at + 1)
    const left = pairs.get(pair) ?? 0
    if (left === 0) continue
    pairs.set(pair, left - 1)
    common++
  }
  return (2 * common) / (a.length + b.length - 2)
}
