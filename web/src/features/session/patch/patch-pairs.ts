import type { PatchLine } from '../rows/session-texts'

/** A row of two columns: what was there, and what is there now. `null` = nothing on that side. */
export interface PatchPair {
  left: PatchLine | null
  right: PatchLine | null
}

/** Lines of a patch in two columns: removed lines stand beside those that came in their place. `null` stays between hunks. */
export function patchPairs(lines: readonly (PatchLine | null)[]): (PatchPair | null)[] {
  const pairs: (PatchPair | null)[] = []
  let [removed, added]: [PatchLine[], PatchLine[]] = [[], []]
  const take = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++)
      pairs.push({ left: removed[at] ?? null, right: added[at] ?? null })
    removed = []
    added = []
  }
  for (const line of lines) {
    if (line?.sign === '-') {
      // What is removed behind an added line belongs to the next place.
      if (added.length > 0) take()
      removed.push(line)
    } else if (line?.sign === '+') added.push(line)
    else {
      take()
      pairs.push(line === null ? null : { left: line, right: line })
    }
  }
  take()
  return pairs
}
