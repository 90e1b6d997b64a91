import type { ResponseOf } from '../../../src/api/contract/responses'

export type TreeEntry = ResponseOf<'tree.level'>['entries'][number]

/** One level as far as it is loaded. */
export interface LoadedLevel {
  entries: readonly TreeEntry[]
  total: number
  /** There are more, and this asks for them. */
  nextCursor: string | null
}

/** A line of the tree as it is drawn. */
export type TreeRow =
  | {
      kind: 'entry'
      key: string
      entry: TreeEntry
      depth: number
      at: number
      of: number
      isOpen: boolean
      parent: number
    }
  /** The end of a level that is not whole, or not there yet. */
  | { kind: 'more'; key: string; under: string; depth: number; left: number; parent: number }

/**
 * The lines of all open levels, from the outside in. An entry that stands twice (it moved up while the next page was fetched) is shown
 * at its first place; one that stands under itself is not opened again.
 *
 * @param levels  by the entry whose level it is; `''` = the outermost
 */
export function treeRows(levels: ReadonlyMap<string, LoadedLevel>, open: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = []
  const walk = (under: string, depth: number, parent: number, above: ReadonlySet<string>) => {
    const level = levels.get(under)
    if (level === undefined) {
      rows.push({ kind: 'more', key: `more ${under}`, under, depth, left: 0, parent })
      return
    }
    const seen = new Set<string>()
    const entries = level.entries.filter(({ id }) => !seen.has(id) && seen.add(id))
    for (const [at, entry] of entries.entries()) {
      const isOpen = open.has(entry.id) && entry.childCount > 0 && !above.has(entry.id)
      const place = rows.length
      const of = Math.max(level.total, entries.length)
      rows.push({ kind: 'entry', key: `${under} ${entry.id}`, entry, depth, at: at + 1, of, isOpen, parent })
      if (isOpen) walk(entry.id, depth + 1, place, new Set([...above, entry.id]))
    }
    if (level.nextCursor !== null) {
      const left = Math.max(0, level.total - entries.length)
      rows.push({ kind: 'more', key: `more ${under}`, under, depth, left, parent })
    }
  }
  walk('', 1, -1, new Set())
  return rows
}
