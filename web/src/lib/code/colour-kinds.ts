import { ownValue } from '#domain/own-value'

/**
 * What code is coloured by. The place of a kind in this list is its number in `Runs`. Each class is written out: Tailwind reads names as
 * they stand here.
 */
export const CODE_CLASSES = [
  '',
  'text-code-keyword',
  'text-code-string',
  'text-code-number',
  'text-code-comment',
  'text-code-title',
  'text-code-type',
  'text-code-attribute',
] as const

const [PLAIN, KEYWORD, STRING, NUMBER, COMMENT, TITLE, TYPE, ATTRIBUTE] = [0, 1, 2, 3, 4, 5, 6, 7]

/**
 * Colours of one line: pairs of where a stretch ends, as an index into the line, and its kind. A stretch begins where the one before it
 * ends; what is behind the last is plain.
 */
export type Runs = readonly number[]

/** Scopes of highlight.js. A scope that is not here has the colour of what it stands in. */
const KINDS: Readonly<Record<string, number>> = {
  keyword: KEYWORD,
  'selector-tag': KEYWORD,
  deletion: KEYWORD,
  string: STRING,
  regexp: STRING,
  char: STRING,
  link: STRING,
  code: STRING,
  addition: STRING,
  number: NUMBER,
  literal: NUMBER,
  symbol: NUMBER,
  bullet: NUMBER,
  comment: COMMENT,
  quote: COMMENT,
  doctag: COMMENT,
  formula: COMMENT,
  title: TITLE,
  section: TITLE,
  name: TITLE,
  'selector-id': TITLE,
  'selector-class': TITLE,
  type: TYPE,
  built_in: TYPE,
  attr: ATTRIBUTE,
  attribute: ATTRIBUTE,
  variable: ATTRIBUTE,
  'template-variable': ATTRIBUTE,
  'template-tag': ATTRIBUTE,
  'selector-attr': ATTRIBUTE,
  'selector-pseudo': ATTRIBUTE,
  meta: ATTRIBUTE,
  subst: PLAIN,
}

/**
 * @param classes  as highlight.js writes them, e.g. `hljs-title class_`
 * @param around  the kind of what it stands in
 */
export function kindOf(classes: string, around: number): number {
  if (classes.startsWith('hljs-title class_')) return TYPE
  // `this` and `self`.
  if (classes.startsWith('hljs-variable language_')) return KEYWORD
  const [scope = ''] = classes.replace('hljs-', '').split(' ')
  return ownValue(KINDS, scope) ?? around
}
