import type { Answers } from '#api/contract/operations/index'

export type TreeEntry = Answers['tree']['level']['entries'][number]

/** The loaded part of one level. */
export interface LoadedLevel {
  entries: readonly TreeEntry[]
  total: number
  /** Cursor of the next page; `null` if there is none. */
  nextCursor: string | null
}

/** A row of the tree. */
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
  /** The end of a level that is not loaded, or not completely. */
  | { kind: 'more'; key: string; under: string; depth: number; left: number; parent: number }

/**
 * The rows of all open levels, depth first. An entry that appears twice, because it moved up while the next page was fetched, is shown at its
 * first place. An entry below itself is not opened again.
 *
 * @param levels  by the ID of the entry above; `''` = the outermost level
 * @param open  IDs of open entries
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
