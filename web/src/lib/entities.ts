/**
 * Names of characters that agents write in markdown. In place of the library's own table, which asks the browser to read each as markup: our
 * content security policy refuses that. Names that are not here stay as they are written.
 */
const CHARACTERS: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  middot: '·',
  bull: '•',
  times: '×',
  deg: '°',
  copy: '©',
  reg: '®',
  trade: '™',
  euro: '€',
  larr: '←',
  rarr: '→',
  uarr: '↑',
  darr: '↓',
  le: '≤',
  ge: '≥',
  ne: '≠',
  check: '✓',
}

/** @param name  without its `&` and `;` */
export const decodeEntity = (name: string): string | undefined =>
  Object.hasOwn(CHARACTERS, name) ? CHARACTERS[name] : undefined

/** Of the library's module; the table is not used where `decodeEntity` is. */
export const NAMED_CODES_TO_UNICODE = CHARACTERS
