import { LOGIN_SIGNS, MAX_HEAD, MIN_WORD, SECRET_RULES, type SecretRule, type SecretRuleName, URL_START } from './rules'

/** A secret in bytes. */
export interface SecretSpan {
  rule: SecretRuleName
  /** The first byte of it, and the first byte after it. */
  from: number
  to: number
}

const codesOf = (characters: string): Uint8Array => {
  const table = new Uint8Array(256)
  for (const each of characters) table[each.charCodeAt(0)] = 1
  return table
}

const ALNUM = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
const WORD = codesOf(`${ALNUM}_-`)
const IN_LOGIN = codesOf(ALNUM + LOGIN_SIGNS)
const DIGIT = codesOf('0123456789')
const DASH = 0x2d
const DOT = 0x2e
const COLON = 0x3a
const AT = 0x40
const BACKSLASH = 0x5c
const PERCENT = 0x25
const BRACKET = 0x5b
const SEMICOLON = 0x3b
const LETTER_M = 0x6d
const LETTER_U = 0x75

type Named = [SecretRuleName, SecretRule]

interface Start {
  start: Buffer
  rule: Named
}

/** Starts by their first two bytes, as one number. */
const BY_PAIR = new Map<number, Start[]>()
/** The same pairs as flags: nearly every word is none of them. */
const IS_START = new Uint8Array(65_536)
const URL_BYTES = Buffer.from(URL_START, 'latin1')
const TEXTS: Start[] = []
const URLS = (Object.entries(SECRET_RULES) as Named[]).filter(([, { found }]) => found === 'url')
for (const [name, rule] of Object.entries(SECRET_RULES) as Named[])
  for (const word of rule.starts) {
    const start: Start = { start: Buffer.from(word, 'latin1'), rule: [name, rule] }
    if (rule.found === 'text') TEXTS.push(start)
    else if (rule.found !== 'url') {
      const pair = (word.charCodeAt(0) << 8) | word.charCodeAt(1)
      BY_PAIR.set(pair, [...(BY_PAIR.get(pair) ?? []), start])
      IS_START[pair] = 1
    }
  }

/**
 * All secrets in the bytes of a text (UTF-8, JSON or not), in order; none overlaps another.
 *
 * Ordinary text costs one pass that looks at every fourth or fifth byte, and one native search for each start that is no word. Takes time
 * proportional to the length, whatever the bytes are.
 */
export function findSecrets(bytes: Uint8Array): SecretSpan[] {
  const found: SecretSpan[] = []
  const search = new Search(bytes, found)
  search.words()
  search.texts()
  search.urls()
  if (found.length < 2) return found
  found.sort((a, b) => a.from - b.from || b.to - a.to)
  let end = 0
  return found.filter((span) => {
    const isFree = span.from >= end
    if (isFree) end = span.to
    return isFree
  })
}

class Search {
  private readonly bytes: Uint8Array
  private readonly buffer: Buffer
  private readonly found: SecretSpan[]
  /** The bytes as a text of as many characters; made when a start was found. */
  private chars: string | undefined
  /** The end of the last secret that a word began. */
  private end = 0

  constructor(bytes: Uint8Array, found: SecretSpan[]) {
    this.bytes = bytes
    this.buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.found = found
  }

  /** Looks at each word of at least `MIN_WORD` bytes. A look backwards from where its last byte would be passes over shorter ones. */
  words(): void {
    const { bytes } = this
    const { length } = bytes
    let low = 0
    for (let at = MIN_WORD - 1; at < length; ) {
      let back = at
      while (back >= low && WORD[bytes[back] as number] === 1) back--
      if (back >= low) {
        at = back + MIN_WORD
        low = back + 1
        continue
      }
      let end = at + 1
      while (end < length && WORD[bytes[end] as number] === 1) end++
      this.word(low, end)
      low = end + 1
      at = end + MIN_WORD
    }
  }

  texts(): void {
    const { buffer } = this
    for (const { start, rule } of TEXTS)
      for (let at = buffer.indexOf(start); at >= 0; ) {
        const end = this.try(rule, at)
        at = buffer.indexOf(start, Math.max(end, at + start.length))
      }
  }

  /**
   * Looks behind each `://` for a user, a colon, a password and an `@`, before any rule is tried: most URLs have none of that. What was
   * passed over holds no other `://`.
   */
  urls(): void {
    const { bytes, buffer } = this
    for (let at = buffer.indexOf(URL_BYTES); at >= 0; at = buffer.indexOf(URL_BYTES, at)) {
      const start = at
      let colon = -1
      at += URL_BYTES.length
      // A user may be an address of mail.
      for (; IN_LOGIN[bytes[at] as number] === 1 || (bytes[at] === AT && colon < 0); at++)
        if (bytes[at] === COLON && colon < 0) colon = at
      if (bytes[at] === AT) for (const rule of URLS) this.try(rule, start)
    }
  }

  private word(from: number, to: number): void {
    this.places(from, to - MIN_WORD)
    const dot = from - 1
    if (from === 0 || this.bytes[dot] !== DOT) return
    let head = dot
    while (head > 0 && dot - head < MAX_HEAD && WORD[this.bytes[head - 1] as number] === 1) head--
    this.places(head, dot - 1)
  }

  /** Tries where a secret may begin: at the first place of a word, behind what stands for a sign there, and behind dashes up to `last`. */
  private places(from: number, last: number): void {
    const { bytes } = this
    this.at(from)
    const before = from === 0 ? 0 : (bytes[from - 1] as number)
    // `\n` and its like, `\u0022`, `%3D`.
    if (before === BACKSLASH) this.at(bytes[from] === LETTER_U ? from + 5 : from + 1)
    else if (before === PERCENT) this.at(from + 2)
    // The end of a terminal's colour, `[31m`.
    else if (before === BRACKET || before === SEMICOLON) {
      let at = from
      while (DIGIT[bytes[at] as number] === 1) at++
      if (bytes[at] === LETTER_M) this.at(at + 1)
    }
    for (let at = from; at < last; at++) if (bytes[at] === DASH) this.at(at + 1)
  }

  private at(at: number): void {
    const pair = ((this.bytes[at] as number) << 8) | (this.bytes[at + 1] as number)
    if (IS_START[pair] !== 1 || at < this.end) return
    for (const { start, rule } of BY_PAIR.get(pair) ?? []) {
      if (!this.isAt(start, at)) continue
      const end = this.try(rule, at)
      if (end <= at) continue
      this.end = end
      return
    }
  }

  /** A form is tried on characters, which cost a copy of the whole text: its start is compared first. */
  private isAt(start: Uint8Array, at: number): boolean {
    const { bytes } = this
    for (let i = 2; i < start.length; i++) if (bytes[at + i] !== start[i]) return false
    return true
  }

  /** @returns the end of the secret that begins here; `at` = none does */
  private try([rule, { form }]: Named, at: number): number {
    const chars = this.chars ?? this.buffer.toString('latin1')
    this.chars = chars
    form.lastIndex = at
    const match = form.exec(chars)
    if (match === null) return at
    const [whole] = match
    const secret = match.slice(1).find((group) => group !== undefined) ?? whole
    const end = at + whole.length
    this.found.push({ rule, from: end - secret.length, to: end })
    return end
  }
}
