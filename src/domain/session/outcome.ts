import type { Product } from './product'

/** A file that a session changed. */
export interface ChangedFile {
  path: string
  /** Calls that wrote it. */
  calls: number
}

/** What came of a session, beside what its row says. */
export interface SessionOutcome {
  /** Most calls first; at most `MOST_FILES` of them. */
  files: ChangedFile[]
  /** Oldest first. */
  products: (Product & { at: string | null })[]
}

/** Files that an outcome tells by name. */
export const MOST_FILES = 500
