const SHORTEST = 8

/**
 * How each id is shown in a list: its first 8 characters, more where two of the list begin alike. What is shown can be typed
 * back, since commands take the unique beginning of a session's id.
 */
export function shortIds(ids: readonly string[]): (id: string) => string {
  const sorted = [...new Set(ids)].sort()
  const lengths = new Map<string, number>()
  for (const [i, id] of sorted.entries()) {
    const shared = Math.max(sharedLength(id, sorted[i - 1]), sharedLength(id, sorted[i + 1]))
    lengths.set(id, Math.max(SHORTEST, shared + 1))
  }
  return (id) => id.slice(0, lengths.get(id) ?? SHORTEST)
}

function sharedLength(a: string, b: string | undefined): number {
  let length = 0
  while (b !== undefined && length < a.length && a[length] === b[length]) length++
  return length
}
