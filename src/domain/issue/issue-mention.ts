import { isIssueId } from './issue-id'

/** Words of one text that are kept, and the longest of them in characters. */
const MAX_WORDS = 10
const LONGEST_WORD = 64
/** Characters of a text that are looked at. */
const LONGEST_TEXT = 20_000

/** What may stand in a word, as `issueWords` looks for one; a longer run than an id may be is none. */
const RUN = /[\p{L}\p{N}_.\-/\\:@~]+/gu
/** `<prefix>-<hash>`, with numbers of children behind it; prefixes may hold hyphens. */
const WORD = /^(?:[a-z0-9][a-z0-9_]*-)+[a-z0-9]{1,12}(?:\.\d{1,5})*$/
/** A person's `'s`, and what ends a sentence. */
const TAIL = /[.:-]+$/

/**
 * Words of a person's text that may be issues' ids, in lower case: those with a digit in their hash first, since ordinary words have
 * none, then as they come. At most 10. Paths, addresses and names of files are no words: what stands in them is a place.
 */
export function issueWords(text: string): string[] {
  const found: string[] = []
  for (const [run] of text.slice(0, LONGEST_TEXT).matchAll(RUN)) {
    if (!run.includes('-') || run.length > 2 * LONGEST_WORD || /[/\\@~]/.test(run)) continue
    const word = run
      .replace(TAIL, '')
      .replace(/^[.:-]+/, '')
      .toLowerCase()
    // `ld-a1b2: fix it` and `ld-a1b2:fix` name it as well.
    const [name = ''] = word.split(':', 1)
    if (isWord(name)) found.push(name)
  }
  return best(found)
}

/**
 * Words of a branch's name that may be issues' ids: each part between slashes, whole and shortened at its hyphens from either end, so
 * `feature/ld-a1b2-fix` gives `ld-a1b2`. Lower case, the likeliest first, at most 10.
 */
export function branchWords(branch: string): string[] {
  const found: string[] = []
  for (const part of branch.slice(0, 400).toLowerCase().split('/')) {
    const words = part.split('-').slice(0, 12)
    for (let first = 0; first < words.length - 1; first++)
      for (let end = first + 2; end <= words.length; end++) {
        const name = words.slice(first, end).join('-')
        if (isWord(name)) found.push(name)
        const [beforeUnderscore = ''] = (words[end - 1] ?? '').split('_', 1)
        const cut = [...words.slice(first, end - 1), beforeUnderscore].join('-')
        if (cut !== name && isWord(cut)) found.push(cut)
      }
  }
  return best(found)
}

/** The word that an environment variable names; `null` = it can be no issue's id. */
export function issueWord(value: string): string | null {
  const word = value.trim().toLowerCase()
  return word.length <= LONGEST_WORD && isIssueId(word) ? word : null
}

const isWord = (word: string): boolean => word.length <= LONGEST_WORD && WORD.test(word)

function best(found: readonly string[]): string[] {
  const words = [...new Set(found)]
  const isLikely = (word: string): boolean => /\d/.test(word.slice(word.lastIndexOf('-')))
  return [...words.filter(isLikely), ...words.filter((word) => !isLikely(word))].slice(0, MAX_WORDS)
}
