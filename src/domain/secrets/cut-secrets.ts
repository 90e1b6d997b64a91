import type { SecretSpan } from './find-secrets'
import { SECRET_RULES, type SecretRule, type SecretRuleName } from './rules'

/**
 * Halves of secrets. A text that was cut for an overview or a list may end within a secret, and no form fits what is left of it. Here the
 * end alone is looked at, so that what merely begins like a secret is left alone within a text.
 */

/** Shorter texts are names and titles of people's making, and no cut makes them. */
const MIN_TEXT = 40
/** Characters before an end that are looked at, and for a web token, which is far longer than all others. */
const WINDOW = 512
const LONGEST = 16_384
/** Characters of a word behind its start from which on it is half a secret: fewer tell nobody anything. */
const MIN_PART = 5
/** As short as a start and a part can be. */
const MIN_HALF = 'r8_'.length + MIN_PART

const RUN = new Uint8Array(128)
for (const sign of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.+/=') RUN[sign.charCodeAt(0)] = 1
const isRun = (code: number): boolean => code < 128 && RUN[code] === 1

const RULES = Object.entries(SECRET_RULES) as [SecretRuleName, SecretRule][]
const escaped = (text: string): string => text.replace(/[.]/g, '\\.')

/** The end of a run of characters, as what a cut leaves of each rule whose secrets are one word; a group for each, `sk-ant-` before `sk-`. */
const WORDS = RULES.filter(([, { found }]) => found === 'word' || found === 'dotted').sort(
  (
    [
      ,
      {
        starts: [a = ''],
      },
    ],
    [
      ,
      {
        starts: [b = ''],
      },
    ],
  ) => b.length - a.length,
)
const HALF_WORD = new RegExp(
  `(?<![A-Za-z0-9_])(?:${WORDS.map(
    ([, { starts, cut }]) =>
      `(${cut?.source ?? `(?:${starts.map(escaped).join('|')})[A-Za-z0-9_.+/=-]{${MIN_PART},}$`})`,
  ).join('|')})`,
)
const HALF_TOKEN = /(?<![A-Za-z0-9_])eyJ[A-Za-z0-9_.+/=-]+$/
/** Chance makes digits or both cases; a name that begins like a secret has neither, as a rule. */
const BY_CHANCE = /\d|[a-z].*[A-Z]|[A-Z].*[a-z]/s

/** What stands at the start of the others. */
const TEXTS = RULES.flatMap(([rule, { found, starts, cut }]) =>
  (found === 'text' || found === 'url') && cut ? starts.map((start) => ({ rule, start, cut })) : [],
)
type Text = (typeof TEXTS)[number]

/**
 * What cuts have left of secrets: at the end of the text and of each text between quotation marks in it, where that is long enough to have
 * been cut, and before each ellipsis. In order; takes time proportional to the length.
 *
 * @param text  with the whole secrets masked, JSON or not
 */
export function findCutSecrets(text: string): SecretSpan[] {
  const texts = TEXTS.filter(({ start }) => text.includes(start))
  const found: SecretSpan[] = []
  const look = (low: number, end: number): void => {
    const span = atEnd(text, low, end, texts)
    if (span !== undefined) found.push(span)
  }
  for (let before = -1; before < text.length; ) {
    const quote = text.indexOf('"', before + 1)
    const end = quote === -1 ? text.length : quote
    if (end - before > MIN_TEXT) look(before + 1, end)
    before = end
  }
  for (let at = text.indexOf('…'); at >= 0; at = text.indexOf('…', at + 1)) look(0, at)
  return found.sort((a, b) => a.from - b.from)
}

function atEnd(text: string, low: number, end: number, texts: readonly Text[]): SecretSpan | undefined {
  let to = end
  // A quotation mark within JSON.
  while (to > low && text[to - 1] === '\\') to--
  return wordAtEnd(text, low, to) ?? (texts.length === 0 ? undefined : textAtEnd(text, low, to, texts))
}

function wordAtEnd(text: string, low: number, to: number): SecretSpan | undefined {
  const least = Math.max(low, to - LONGEST)
  let from = to
  while (from > least && isRun(text.charCodeAt(from - 1))) from--
  // The letter of a line break in JSON.
  if (from > least && text[from - 1] === '\\') from++
  if (to - from < MIN_HALF) return undefined
  const token = HALF_TOKEN.exec(text.slice(from, to))
  if (token !== null) return { rule: 'web-token', from: from + token.index, to }
  const match = HALF_WORD.exec(text.slice(Math.max(from, to - WINDOW), to))
  if (match === null) return undefined
  const [half] = match
  const [rule, { cut }] = WORDS[match.slice(1).indexOf(half)] as (typeof WORDS)[number]
  return cut === undefined && !BY_CHANCE.test(half) ? undefined : { rule, from: to - half.length, to }
}

function textAtEnd(text: string, low: number, to: number, texts: readonly Text[]): SecretSpan | undefined {
  const tail = text.slice(Math.max(low, to - WINDOW), to)
  for (const { rule, start, cut } of texts) {
    const at = tail.lastIndexOf(start)
    if (at === -1) continue
    cut.lastIndex = at
    const match = cut.exec(tail)
    if (match === null) continue
    const half = match.slice(1).find((group) => group !== undefined) ?? match[0]
    return { rule, from: to - half.length, to }
  }
  return undefined
}
