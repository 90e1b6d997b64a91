/**
 * HTML entities that agents use in Markdown. This table replaces the library's own, which decodes entities by `innerHTML`; our content
 * security policy forbids that. Other entities stay as written.
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

/** Decodes an HTML entity; `undefined` if it is not in the table. @param name  without `&` and `;` */
export const decodeEntity = (name: string): string | undefined =>
  Object.hasOwn(CHARACTERS, name) ? CHARACTERS[name] : undefined

/** Part of the library's module interface. It is unused because `decodeEntity` exists. */
export const NAMED_CODES_TO_UNICODE = CHARACTERS
