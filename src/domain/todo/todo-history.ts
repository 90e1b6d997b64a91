/** What can happen to an item of a to-do list. */
export const TODO_CHANGES = ['created', 'status', 'reworded', 'moved', 'removed', 'returned', 'owner'] as const
export type TodoChangeKind = (typeof TODO_CHANGES)[number]

/** One change of an item, as its row keeps it. A history is a list of these, oldest first. */
export interface TodoChangeEntry {
  /** 1 = the item's first change. A long history begins later: see `droppedCount`. */
  number: number
  /** Milliseconds; `null` = the source has no time (the CLI's own file of an item). */
  at: number | null
  change: TodoChangeKind
  /**
   * What it was and what it became, at most 200 characters: statuses of `created`, `status`, `removed` and `returned`, texts of
   * `reworded`, names of `owner`, places in the list of `moved` (1 = the first). Absent = nothing.
   */
  from?: string
  to?: string
  /** The sub-agent that did it, by the CLI's id; `null` = the main thread. */
  by: string | null
  /** The session that did it, where that is not the item's own: lists may be shared. */
  session?: string
}

/** Changes of an item that are kept, the newest. */
export const HISTORY_LIMIT = 100
/** Characters of a text in a history. */
export const HISTORY_TEXT_LIMIT = 200

/** How many changes were made before the first that is kept. */
export const droppedCount = (history: readonly TodoChangeEntry[]): number => (history[0]?.number ?? 1) - 1
