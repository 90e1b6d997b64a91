const NOT_ASCII = /[^\0-\x7f]/

/**
 * Each character of a text, with all that it is in lower and in upper case where that is one character: `ä` and `Ä`.
 *
 * @returns `undefined` where only letters of ASCII have cases: the databases compare those by themselves, and no others
 */
export function letterCases(text: string): readonly (readonly string[])[] | undefined {
  if (!NOT_ASCII.test(text)) return undefined
  const characters = Array.from(text, casesOf)
  return characters.some(([first = '', ...more]) => NOT_ASCII.test(first) && more.length > 0) ? characters : undefined
}

function casesOf(character: string): string[] {
  const upper = character.toUpperCase()
  const cases = [character, character.toLowerCase(), upper, upper.toLowerCase()]
  return [...new Set(cases)].filter((one) => [...one].length === 1)
}

/** In lower case what is of ASCII, as the databases do it. */
export const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
