/** What a page shows stands in its address, in words that a person can read and type. */
export type Search = Readonly<Record<string, string>>

/** Reads the part behind `?`; of a name that stands there twice the first counts. */
export function parseSearch(text: string): Search {
  const fields: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(text)) if (!(name in fields) && value !== '') fields[name] = value
  return fields
}

/** Writes it, with its `?`; what is empty or not there is left out. */
export function writeSearch(search: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(search).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === null || value === '' || value === false ? [] : [[name, String(value)]],
  )
  return fields.length === 0 ? '' : `?${new URLSearchParams(fields)}`
}

/** One of the words, or nothing. */
export const oneOf = <Word extends string>(words: readonly Word[], value: unknown): Word | undefined =>
  words.find((word) => word === value)

/** Words of a list that is written with commas; unknown ones are left out. */
export function manyOf<Word extends string>(words: readonly Word[], value: unknown): Word[] {
  if (typeof value !== 'string') return []
  const named = new Set(value.split(','))
  return words.filter((word) => named.has(word))
}

/** A text of at most 1,000 characters, or nothing. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, 1_000) : undefined
