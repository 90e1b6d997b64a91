/**
 * Whether arrays and objects stand in each other more deeply than `most`. Looks at the bytes alone, so that hostile depth costs one pass and
 * no stack. What is no JSON gives any answer.
 */
export function isDeeper(json: Uint8Array, most: number): boolean {
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const byte = json[at]
    if (byte === QUOTE) at = endOfString(json, at)
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (++depth > most) return true
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** Where the string ends that begins at `from`; the end of the bytes when it does not. */
function endOfString(json: Uint8Array, from: number): number {
  for (let at = json.indexOf(QUOTE, from + 1); at >= 0; at = json.indexOf(QUOTE, at + 1)) {
    let backslashes = 0
    while (json[at - 1 - backslashes] === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return at
  }
  return json.length
}
