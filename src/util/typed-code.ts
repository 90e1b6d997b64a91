/** Codes that a person types or pastes: 60 bits, in groups, of signs that don't look alike. */

/** Crockford's base 32: of signs that look alike it has one, and reads the others as that one. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** 60 bits. */
const LENGTH = 12

/** A code in groups, e.g. `7KQM-2F9D-XW4C`. */
export function newCode(random: (bytes: number) => Uint8Array): string {
  // 256 is a multiple of 32: no sign is more likely than another.
  const signs = [...random(LENGTH)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('')
  return signs.replace(/(....)(?=.)/g, '$1-')
}

/** The signs of a code as a person may type it: any case, dashes and spaces anywhere, and the letters that stand for no other sign. */
export function readCode(typed: string): string {
  return typed
    .toUpperCase()
    .replace(/[\s-]+/g, '')
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1')
}
