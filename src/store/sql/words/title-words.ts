/** Words of a search in titles at most: nobody types more. */
const WORD_LIMIT = 32
const TEXT_LIMIT = 10_000

/** The words that a title or an ID has to hold, each somewhere in it. */
export const titleWords = (text: string): string[] =>
  text
    .slice(0, TEXT_LIMIT)
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, WORD_LIMIT)
