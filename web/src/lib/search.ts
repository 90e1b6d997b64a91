/** The search part of an address, which says what a page shows. */
export type Search = Readonly<Record<string, string>>

/** Parses the search part of an address. The first value of a repeated name counts. */
export function parseSearch(text: string): Search {
  const fields: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(text)) if (!(name in fields) && value !== '') fields[name] = value
  return fields
}

/** Formats a search part, with its `?`. Empty fields are omitted. */
export function writeSearch(search: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(search).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === null || value === '' || value === false ? [] : [[name, String(value)]],
  )
  return fields.length === 0 ? '' : `?${new URLSearchParams(fields)}`
}

/** The value if it is one of the words. */
export const oneOf = <Word extends string>(words: readonly Word[], value: unknown): Word | undefined =>
  words.find((word) => word === value)

/** The known words of a comma-separated list. */
export function manyOf<Word extends string>(words: readonly Word[], value: unknown): Word[] {
  if (typeof value !== 'string') return []
  const named = new Set(value.split(','))
  return words.filter((word) => named.has(word))
}

/** The value if it is a text that is not empty, cut to 1,000 characters. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, 1_000) : undefined
