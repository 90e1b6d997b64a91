import type { Expression, Kysely, RawBuilder, SqlBool } from 'kysely'
import type { Cost } from '../../domain/cost/price'
import type { ModelUsage } from '../../domain/cost/usage'
import { DAY_MS } from '../../domain/time-units'
import type { SealedReader } from '../packs/sealed-chunks'
import type { Schema } from './tables'
import type { SearchTerm } from './words/search-words'

/** What a read repository works with. */
export interface ReadContext {
  db: Kysely<Schema>
  capabilities: ReadCapabilities
  costOf: (usage: ModelUsage) => Cost
  /** Opens chunks that lie in packs. */
  sealed: SealedReader
}

/** Everything in which reading the two databases differs, by name. */
export interface ReadCapabilities {
  /** `column in (keys)` with one parameter, so that the statement is the same for any number of keys. */
  inKeys(column: Expression<number>, keys: readonly number[]): Expression<SqlBool>
  /** The same where the keys may be thousands and rows are looked at one by one. */
  amongKeys(column: Expression<number>, keys: readonly number[]): Expression<SqlBool>
  /** `column not in (keys)` of many rows, which are looked at one by one. The column is never null. */
  notInKeys(column: Expression<number>, keys: readonly number[]): RawBuilder<SqlBool>
  /** The same for texts. */
  inTexts(column: Expression<unknown>, texts: readonly string[]): RawBuilder<SqlBool>
  /** `select … from …` of the rows whose column `key`, which is unique, is one of the hashes. Each is looked up along its index. */
  selectByHash<Row>(columns: string, from: string, key: string, hashes: readonly Uint8Array[]): RawBuilder<Row>
  /** Whether `part` stands in `text`, in any case of its letters; no character of it has a meaning of its own. */
  containsFolded(text: Expression<unknown>, part: string): RawBuilder<SqlBool>
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

/** Conditions that both must hold; `undefined` = it limits nothing. */
export interface SearchScope {
  /** About the session `s` alone: few rows, so the database answers it once and not for each event. */
  sessions: RawBuilder<SqlBool> | undefined
  /** About the event `e` alone. */
  events: RawBuilder<SqlBool> | undefined
  /** `events` leaves only what failed, which indexes tell session by session. */
  isFailed: boolean
}

export interface TextSearch {
  /** Only this session's events. */
  session: number | undefined
  scope: SearchScope
  limit: number
  /** Only the newest this many matches are ranked. With a scope that leaves few of many matches, fewer: at least `limit`. */
  window: number
}

export interface TextMatches {
  events: number[]
  /** All that were ranked. */
  ranked: number[]
  /** There were more matches than the window holds. */
  isTruncated: boolean
}

/** The last instant that JavaScript's dates know, in milliseconds. */
const MAX_TIME = 8.64e15

/** The day of the time that was written last, up to its `T`: a tree of 5,000 agents writes 15,000 times, most of one day. */
let lastDay = Number.NaN
let lastDate = ''

/** A time as the API gives it. */
export function isoTime(at: number): string
export function isoTime(at: number | null): string | null
export function isoTime(at: number | null): string | null {
  if (at === null) return null
  // Beyond what a date can hold (hostile input): the nearest end, rather than an error for the whole page.
  const time = Math.trunc(Math.max(-MAX_TIME, Math.min(at, MAX_TIME)))
  const day = Math.floor(time / DAY_MS)
  if (day !== lastDay) {
    lastDate = new Date(day * DAY_MS).toISOString().slice(0, -13)
    lastDay = day
  }
  const ofDay = time - day * DAY_MS
  const seconds = Math.floor(ofDay / 1_000)
  const minutes = Math.floor(seconds / 60)
  return `${lastDate}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}.${three(ofDay % 1_000)}Z`
}

const two = (n: number): string => (n < 10 ? `0${n}` : `${n}`)
const three = (n: number): string => (n < 100 ? `0${two(n)}` : `${n}`)
