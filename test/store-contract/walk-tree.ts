import { readTreeId } from '../../src/domain/overview/tree-id'
import type { NeedPlaces, TreeEntry, TreeFilter } from '../../src/domain/overview/tree-level'
import type { Store } from '../../src/domain/store'

/** What statuses are derived by. */
export const SETTINGS = { stuckAfterMs: 15 * 60_000, askingTools: new Set(['AskUserQuestion']) }
export const NO_NEEDS: NeedPlaces = { tasks: [], sessions: [], subagents: [] }

/** An entry with all that stands below it. */
export interface Walked {
  entry: TreeEntry
  below: Walked[]
}

/** Reads a level to its end, page by page. */
export async function readAll(
  store: Store,
  under: string | null,
  now: number,
  { limit = 100, needs = NO_NEEDS, ...filter }: TreeFilter & { limit?: number; needs?: NeedPlaces } = {},
): Promise<{ entries: TreeEntry[]; total: number; path: TreeEntry[] }> {
  const entries: TreeEntry[] = []
  let cursor: string | null | undefined
  let last: { total: number; path: TreeEntry[] } = { total: 0, path: [] }
  do {
    const place = under === null ? null : readTreeId(under)
    if (place === undefined) throw new Error(`${under} is no entry's id`)
    const level = await store.tree.level({
      under: place,
      now,
      settings: SETTINGS,
      needs,
      limit,
      ...filter,
      ...(cursor && { cursor }),
    })
    if (level === undefined) throw new Error(`there is no entry ${under}`)
    entries.push(...level.entries)
    last = level
    cursor = level.nextCursor
  } while (cursor !== null)
  return { entries, total: last.total, path: last.path }
}

/** Everything below an entry, level by level. */
export async function walk(
  store: Store,
  now: number,
  filter: TreeFilter & { limit?: number; needs?: NeedPlaces } = {},
  under: string | null = null,
): Promise<Walked[]> {
  const { entries } = await readAll(store, under, now, filter)
  const walked: Walked[] = []
  for (const entry of entries)
    walked.push({ entry, below: entry.childCount === 0 ? [] : await walk(store, now, filter, entry.id) })
  return walked
}

/** An entry and all below it. */
export const all = (nodes: readonly Walked[]): Walked[] => nodes.flatMap((node) => [node, ...all(node.below)])
