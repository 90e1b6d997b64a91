/** What stands out among an agent's lines, in the order in which the page names it. */
export const MAP_KINDS = ['prompt', 'error', 'edit', 'agent', 'compaction'] as const
export type MapKind = (typeof MAP_KINDS)[number]

/** Parts of equal length that a map has at most: more marks than a screen has lines are of no use. */
export const MAP_PARTS = 500

/** Lines of one kind within one part of the conversation. */
export interface MapMark {
  kind: MapKind
  /** The first of them, by its number among the agent's lines. */
  number: number
  count: number
}

/** Where an agent's lines have something to go to. */
export interface Minimap {
  /** Lines of the agent. */
  total: number
  /** In order. */
  marks: MapMark[]
}

/** Lines of one kind whose numbers are listed. */
export const MAX_ONLY = 5_000
