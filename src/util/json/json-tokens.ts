// The package's main file is a bundle format whose inner files a compiled executable does not find.
import { createScanner } from 'jsonc-parser/lib/esm/main.js'

export interface JsonToken {
  start: number
  /** Behind its last character. */
  end: number
  isOpen: boolean
  isClose: boolean
  isComma: boolean
}

// `SyntaxKind` of the library is a `const enum`, which a file compiled by itself can't import.
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, COMMA, END] = [1, 2, 3, 4, 5, 17] as const

/** The tokens of a JSON text without blanks, one after the other; a key that stands twice comes twice. */
export function* jsonTokens(text: string): Generator<JsonToken> {
  const scanner = createScanner(text, true)
  for (let kind: number = scanner.scan(); kind !== END; kind = scanner.scan()) {
    const start = scanner.getTokenOffset()
    yield {
      start,
      end: start + scanner.getTokenLength(),
      isOpen: kind === OPEN_BRACE || kind === OPEN_BRACKET,
      isClose: kind === CLOSE_BRACE || kind === CLOSE_BRACKET,
      isComma: kind === COMMA,
    }
  }
}
