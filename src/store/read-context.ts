import type { Expression, Kysely, RawBuilder, SqlBool } from 'kysely'
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
  /** The same for texts. */
  inTexts(column: Expression<unknown>, texts: readonly string[]): RawBuilder<SqlBool>
  /** Whether `part` stands in `text`; no character of it has a meaning of its own. */
  contains(text: Expression<unknown>, part: string): RawBuilder<SqlBool>
  /** Whether a JSON list of texts holds `text`. */
  listHas(list: Expression<unknown>, text: string): RawBuilder<SqlBool>
  /** The text at a key of a column of JSON, word for word as the migrations have it in indexes. */
  jsonText(column: string, key: string): string
  /** All values of the SQL `expression`, in the order of `order`, as a JSON list. */
  list(expression: string, order: string): string
  /** Milliseconds since the epoch, by the clock that units go by. */
  now(): RawBuilder<number>
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
