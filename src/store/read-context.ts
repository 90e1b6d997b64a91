import type { Expression, Kysely, SqlBool } from 'kysely'
import type { ModelUsage } from '../domain/usage'
import type { Schema } from './schema'
import type { SearchTerm } from './search-words'

/** What a read repository works with. */
export interface ReadContext {
  db: Kysely<Schema>
  capabilities: ReadCapabilities
  /** US dollars; `null` when the model's price is unknown. */
  costOf: (usage: ModelUsage) => number | null
}

/** Everything in which reading the two databases differs, by name. */
export interface ReadCapabilities {
  /** `column in (keys)` with one parameter, so that the statement is the same for any number of keys. */
  inKeys(column: Expression<number>, keys: readonly number[]): Expression<SqlBool>
  /** The keys of events whose text matches all terms, best first. */
  searchText(db: Kysely<Schema>, terms: readonly SearchTerm[], search: TextSearch): Promise<TextMatches>
  /** Bytes of the database, and the settings that matter for what it promises. */
  storage(
    db: Kysely<Schema>,
  ): Promise<{ kind: 'sqlite' | 'postgres'; bytes: number | null; settings: Record<string, string> }>
}

export interface TextSearch {
  /** Only this session's events. */
  session: number | undefined
  limit: number
  /** Only the newest so many matches are ranked. */
  window: number
}

export interface TextMatches {
  events: number[]
  /** There were more matches than the window holds. */
  isTruncated: boolean
}

/** The last instant that JavaScript's dates know, in milliseconds. */
const MAX_TIME = 8.64e15

/** A time as the API gives it. */
export function isoTime(at: number): string
export function isoTime(at: number | null): string | null
export function isoTime(at: number | null): string | null {
  // Beyond what a date can hold (hostile input): the nearest end, rather than an error for the whole page.
  return at === null ? null : new Date(Math.max(-MAX_TIME, Math.min(at, MAX_TIME))).toISOString()
}
