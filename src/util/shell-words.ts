/** Words as a POSIX shell takes them back: to be pasted. What a terminal could obey is written as `$'\x1b'`. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ')
}

function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (!/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/.test(word))
    return `'${word.replaceAll("'", `'\\''`)}'`
  const escaped = [...Buffer.from(word)].map((byte) =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, '0')}`,
  )
  return `$'${escaped.join('')}'`
}

/** The word that `shellLine` made of it. */
export function unquoted(word: string): string {
  const inner = /^\$'(.*)'$/s.exec(word)?.[1]
  if (inner === undefined) return /^'.*'$/s.test(word) ? word.slice(1, -1).replaceAll(`'\\''`, "'") : word
  const bytes = [...inner.matchAll(/\\x([0-9a-f]{2})|([^\\])/g)].map(([, hex, plain = '']) =>
    hex === undefined ? plain.charCodeAt(0) : Number.parseInt(hex, 16),
  )
  return Buffer.from(bytes).toString('utf8')
}
