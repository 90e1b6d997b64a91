/** What a person types at a terminal in raw mode, as keys. */

export type Key =
  | { kind: 'text'; text: string }
  /** Put in as a whole, by a paste: never taken for keys. */
  | { kind: 'paste'; text: string }
  | { kind: 'up' | 'down' | 'page-up' | 'page-down' | 'home' | 'end' | 'enter' | 'escape' | 'backspace' | 'quit' }

const NAMED: ReadonlyMap<string, Exclude<Key['kind'], 'text' | 'paste'>> = new Map([
  ['\u001b[A', 'up'],
  ['\u001bOA', 'up'],
  ['\u001b[B', 'down'],
  ['\u001bOB', 'down'],
  ['\u001b[5~', 'page-up'],
  ['\u001b[6~', 'page-down'],
  ['\u001b[H', 'home'],
  ['\u001b[1~', 'home'],
  ['\u001b[F', 'end'],
  ['\u001b[4~', 'end'],
  ['\r', 'enter'],
  ['\n', 'enter'],
  ['\u001b', 'escape'],
  ['\u007f', 'backspace'],
  ['\b', 'backspace'],
  ['\u0003', 'quit'],
  ['\u0004', 'quit'],
])

const PASTE_BEGIN = '\u001b[200~'
const PASTE_END = '\u001b[201~'
/** A paste that never ends is no paste. */
const LONGEST_PASTE = 20_000
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what terminals send
const SEQUENCE = /^\u001b(?:\[[0-9;?]*[ -/]*[@-~]|O.)/
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same
const PLAIN = /^[^\u0000-\u001f\u007f-\u009f]/u

/** Takes what comes in parts, and gives the keys that are whole. */
export class KeyReader {
  #rest = ''
  readonly #decoder = new TextDecoder()

  read(bytes: Uint8Array): Key[] {
    this.#rest += this.#decoder.decode(bytes, { stream: true })
    const keys: Key[] = []
    while (this.#rest !== '') {
      const length = this.#next(keys)
      if (length === 0) break
      this.#rest = this.#rest.slice(length)
    }
    return keys
  }

  /** @returns how many characters were a key; 0 = the rest has to come first */
  #next(keys: Key[]): number {
    const text = this.#rest
    if (text.startsWith(PASTE_BEGIN)) {
      const end = text.indexOf(PASTE_END)
      if (end < 0 && text.length < LONGEST_PASTE) return 0
      const inner = text.slice(PASTE_BEGIN.length, end < 0 ? undefined : end)
      keys.push({ kind: 'paste', text: inner })
      return end < 0 ? text.length : end + PASTE_END.length
    }
    const sequence = SEQUENCE.exec(text)?.[0]
    // A sequence that is cut comes whole with the next bytes; an escape by itself is the key.
    if (sequence === undefined && ['\u001b[', '\u001bO'].includes(text.slice(0, 2)) && text.length < 16) return 0
    const word = sequence ?? String.fromCodePoint(text.codePointAt(0) ?? 0)
    const named = NAMED.get(word)
    if (named !== undefined) keys.push({ kind: named })
    else if (PLAIN.test(word)) keys.push({ kind: 'text', text: word })
    return word.length
  }
}
