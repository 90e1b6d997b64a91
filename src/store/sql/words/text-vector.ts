/** The words of a text as PostgreSQL's index has them, in its own notation: of a text here, of a search in `postgres-search.ts`. */
import { cutText } from '../values'
import { stemOf, wordsOf } from './search-words'

/** PostgreSQL takes 2,046 bytes for a word, and a character may have three. */
const MOST_CHARACTERS = 682
/** PostgreSQL keeps no more places of a word. */
const MOST_PLACES = 255

/**
 * The stems of a text with their places, as a `tsvector` is written: `build:1A,7A it:2A`. PostgreSQL's own parser would keep a path or an
 * address as one word, where the other database, and a person who searches, sees several.
 */
export function vectorOf(text: string, weight: string): string {
  const byWord = new Map<string, Places>()
  const byStem = new Map<string, Places>()
  let place = 0
  for (const word of wordsOf(text)) {
    let places = byWord.get(word)
    if (places === undefined) {
      const stem = lexemeOf(word)
      places = byStem.get(stem) ?? { count: 0, text: '' }
      byStem.set(stem, places)
      byWord.set(word, places)
    }
    place++
    if (places.count++ < MOST_PLACES) places.text += places.text === '' ? `${place}${weight}` : `,${place}${weight}`
  }
  return Array.from(byStem, ([stem, places]) => `${stem}:${places.text}`).join(' ')
}

/** Where a stem stands. */
interface Places {
  count: number
  text: string
}

/** The form in which a word stands in the index: its stem, of a longer one the beginning. @param word  normalized */
export const lexemeOf = (word: string): string => cutText(stemOf(word), MOST_CHARACTERS)
