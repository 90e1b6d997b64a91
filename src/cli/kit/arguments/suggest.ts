/**
 * The name closest to what was typed, if it is close enough to be a slip of the hand.
 *
 * @returns `undefined` when nothing is within a third of the word's length (at least 1, at most 3 edits).
 */
export function nearest(typed: string, names: Iterable<string>): string | undefined {
  const word = typed.slice(0, 40).toLowerCase()
  const allowed = Math.min(3, Math.max(1, Math.ceil(word.length / 3)))
  let best: string | undefined
  let bestDistance = allowed + 1
  for (const name of names) {
    const distance = word.length > 2 && name.startsWith(word) ? 0.5 : editDistance(word, name)
    if (distance < bestDistance) {
      best = name
      bestDistance = distance
    }
  }
  return best
}

/** The name that is least unlike, however unlike it is. */
export function closest(typed: string, names: readonly string[]): string {
  const word = typed.slice(0, 40).toLowerCase()
  const ranked = names.map((name) => ({ name, distance: name.startsWith(word) ? 0.5 : editDistance(word, name) }))
  return ranked.sort((a, b) => a.distance - b.distance)[0]?.name ?? ''
}

/** Insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let value = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        value = Math.min(value, (beforeLast[j - 2] ?? 0) + 1)
      }
      row.push(value)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? a.length
}

/** ` Did you mean '--limit'?`, or nothing. */
export function didYouMean(typed: string, names: Iterable<string>, prefix = ''): string {
  const name = nearest(typed, names)
  return name === undefined ? '' : ` Did you mean '${prefix}${name}'?`
}
