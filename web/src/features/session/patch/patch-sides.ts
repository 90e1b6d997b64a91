import { visibleText } from '../../../lib/visible-text'
import type { PatchLine } from '../rows/session-texts'
import type { PatchPair } from './patch-pairs'

/** Rows before those that are coloured which are read with them: a line alone does not say whether it stands in a comment. */
const LEAD_ROWS = 400

/** Texts of a patch that are coloured, and where its lines stand in them. */
export interface PatchSides {
  /** What was there and what is there now, of each hunk by itself, since something is left out between two. */
  blocks: string[][]
  /** For each line its block and its line there. */
  places: Map<PatchLine, readonly [block: number, line: number]>
}

/** A line of one column as a row of two: what was removed stands on the left, what was added on the right. */
export const rowOfLine = (line: PatchLine | null): PatchPair | null =>
  line && { left: line.sign === '+' ? null : line, right: line.sign === '-' ? null : line }

/**
 * The texts that some rows of a patch were made of, so that their colours can be found. `null` is between two hunks.
 *
 * @param from  the first of the rows
 * @param to  the row behind the last
 */
export function patchSides(rows: readonly (PatchPair | null)[], from = 0, to = rows.length): PatchSides {
  const sides: PatchSides = { blocks: [], places: new Map() }
  let hunk: PatchPair[] = []
  // A hunk that ends before the rows has no part in them.
  const begin = Math.max(from - LEAD_ROWS, rows.lastIndexOf(null, Math.max(from - 1, 0)), 0)
  for (const row of [...rows.slice(begin, to), null]) {
    if (row !== null) {
      hunk.push(row)
      continue
    }
    // Lines that are on both sides are coloured as they stand now.
    addSide(sides, hunk, 'right')
    addSide(sides, hunk, 'left')
    hunk = []
  }
  return sides
}

function addSide({ blocks, places }: PatchSides, hunk: readonly PatchPair[], name: 'left' | 'right'): void {
  const side = hunk.flatMap((row) => row[name] ?? [])
  if (side.every((line) => places.has(line))) return
  for (const [at, line] of side.entries()) if (!places.has(line)) places.set(line, [blocks.length, at])
  blocks.push(side.map(({ text }) => visibleText(text)))
}
