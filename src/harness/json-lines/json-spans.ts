/** Where values stand in the bytes of a JSON text, for parts of a line that are events of their own. The text has been parsed: it is valid. */

/** Bytes from `from` up to `to`, without `to`. */
export interface Span {
  from: number
  to: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d

/** The fields of an object, by name; of a name that stands twice the last one, as `JSON.parse` takes it. */
export function fieldsOf(bytes: Uint8Array, span: Span): Map<string, Span> {
  const fields = new Map<string, Span>()
  let at = skipBlank(bytes, span.from, span.to)
  if (bytes[at] !== OPEN_BRACE) return fields
  at = skipBlank(bytes, at + 1, span.to)
  while (at < span.to && bytes[at] === QUOTE) {
    const nameEnd = endOfValue(bytes, at, span.to)
    const name = parsedText(bytes.subarray(at, nameEnd))
    at = skipBlank(bytes, nameEnd, span.to)
    if (bytes[at] !== COLON) break
    const from = skipBlank(bytes, at + 1, span.to)
    const to = endOfValue(bytes, from, span.to)
    if (name !== undefined) fields.set(name, { from, to })
    at = skipBlank(bytes, to, span.to)
    if (bytes[at] !== COMMA) break
    at = skipBlank(bytes, at + 1, span.to)
  }
  return fields
}

/** The elements of a list, in order. */
export function elementsOf(bytes: Uint8Array, span: Span): Span[] {
  const elements: Span[] = []
  let at = skipBlank(bytes, span.from, span.to)
  if (bytes[at] !== OPEN_BRACKET) return elements
  at = skipBlank(bytes, at + 1, span.to)
  while (at < span.to && bytes[at] !== CLOSE_BRACKET) {
    const to = endOfValue(bytes, at, span.to)
    elements.push({ from: at, to })
    at = skipBlank(bytes, to, span.to)
    if (bytes[at] !== COMMA) break
    at = skipBlank(bytes, at + 1, span.to)
  }
  return elements
}

function endOfValue(bytes: Uint8Array, from: number, limit: number): number {
  const first = bytes[from]
  if (first === QUOTE) return endOfText(bytes, from, limit)
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return endOfWord(bytes, from, limit)
  let depth = 0
  for (let at = from; at < limit; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfText(bytes, at, limit) - 1
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return at + 1
  }
  return limit
}

function endOfText(bytes: Uint8Array, from: number, limit: number): number {
  for (let at = bytes.indexOf(QUOTE, from + 1); at !== -1 && at < limit; at = bytes.indexOf(QUOTE, at + 1)) {
    let slashes = 0
    while (bytes[at - 1 - slashes] === BACKSLASH) slashes++
    if (slashes % 2 === 0) return at + 1
  }
  return limit
}

/** Numbers, `true`, `false` and `null`. */
function endOfWord(bytes: Uint8Array, from: number, limit: number): number {
  let at = from
  while (at < limit && !isBlank(bytes[at]) && !ENDS.has(bytes[at] ?? 0)) at++
  return Math.max(at, from + 1)
}

const ENDS: ReadonlySet<number> = new Set([COMMA, CLOSE_BRACE, CLOSE_BRACKET])

/** Blanks, and the mark that a text may begin with. */
const isBlank = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09 || byte === 0xef || byte === 0xbb || byte === 0xbf

function skipBlank(bytes: Uint8Array, from: number, limit: number): number {
  let at = from
  while (at < limit && isBlank(bytes[at])) at++
  return at
}

function parsedText(bytes: Uint8Array): string | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
