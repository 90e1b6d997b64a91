import { MAX_NEEDS } from '#api/contract/protocol'
import type { Need } from '../needs'

/** Needs of one cause that one decision is for. More are decided about next. */
export const MAX_GROUP = 5_000

/**
 * Reads all needs of a cause, in as many steps as it takes. What comes or goes meanwhile is in the next reading.
 *
 * @param read  the needs after the first `skip`, at most `MAX_NEEDS`
 */
export async function readGroup(read: (skip: number) => Promise<readonly Need[]>): Promise<Need[]> {
  const found = new Map<string, Need>()
  for (let skip = 0; skip < MAX_GROUP; skip += MAX_NEEDS) {
    const part = await read(skip)
    // A new one moves the others by a place.
    for (const need of part) found.set(need.id, need)
    if (part.length < MAX_NEEDS) break
  }
  return [...found.values()]
}
