/**
 * The language of the search: words, `"phrases"`, `begin*`, `*part*`, and filters like `is:error` or `before:2026-11-01`.
 *
 * A word with a colon is a filter only if its name is one of `FILTERS`; `"is:error"` in quotes is text. Filters of one name are joined by OR,
 * filters of several names and words by AND.
 */
import { type TimeZone, UTC, ZoneDays } from '../cost/zone-days'
import { AppError } from '../errors'
import type { EventType } from '../record/observation'
import { DAY_MS, HOUR_MS } from '../time-units'

/** What `is:` may say, and the types of events that it stands for. `error` also finds results of tools that failed. */
export const SEARCH_KINDS = {
  prompt: ['prompt'],
  answer: ['text'],
  call: ['tool_call'],
  output: ['tool_result'],
  notice: ['notice'],
  summary: ['summary', 'compaction'],
  error: ['error'],
} as const satisfies Record<string, readonly EventType[]>
export type SearchKind = keyof typeof SEARCH_KINDS

/** What each filter does, for help and for the hint of an error. */
export const FILTERS = {
  is: Object.keys(SEARCH_KINDS).join(', '),
  tool: 'the name of a tool, such as Bash; mcp__* for all that begin so',
  agent: 'an agent CLI, such as codex',
  project: 'a part of the path of a project or folder',
  session: 'the ID of a session, or its beginning',
  before: 'a day such as 2026-11-01, or 7d for seven days ago',
  after: 'a day such as 2026-11-01, or 7d for seven days ago',
} as const
export type FilterName = keyof typeof FILTERS

/** What a search is limited to. Lists hold alternatives; an empty list limits nothing. */
export interface SearchFilters {
  kinds: SearchKind[]
  /** In lower case. One that ends with `*` is the beginning of a name. */
  tools: string[]
  agents: string[]
  /** Parts of paths, in lower case. */
  projects: string[]
  sessions: string[]
  /** Milliseconds since the epoch; `after` is the first that counts, `before` the first that does not. */
  before: number | undefined
  after: number | undefined
}

export const NO_FILTERS: SearchFilters = {
  kinds: [],
  tools: [],
  agents: [],
  projects: [],
  sessions: [],
  before: undefined,
  after: undefined,
}

export interface SearchQuery {
  /** The query without its filters. */
  words: string
  filters: SearchFilters
}

export interface SearchClock {
  /** Milliseconds since the epoch. */
  now: number
  /** The time zone of `before:` and `after:`. Default UTC. */
  timeZone?: TimeZone | undefined
}

/** A text that is longer is cut before it is read: nobody types more. */
const QUERY_LIMIT = 4_000
const TOKEN = /(?:^|(?<=\s))([a-z]+):(?:"([^"]*)"?|([^\s"]*))|"[^"]*"?|[^\s"]+/gi

/** The filters of a query by name, each with its values as they were typed; one without a value is left out. And its words. */
export function splitSearch(text: string): { words: string; filters: ReadonlyMap<FilterName, readonly string[]> } {
  const filters = new Map<FilterName, string[]>()
  const words: string[] = []
  for (const [token, name, quoted, plain] of tokensOf(text)) {
    const filter = filterName(name)
    const value = (quoted ?? plain ?? '').trim()
    if (filter === undefined) words.push(token)
    else if (value !== '') filters.set(filter, [...(filters.get(filter) ?? []), value])
  }
  return { words: words.join(' '), filters }
}

/** Phones and word processors turn the quotes that a person types. */
const tokensOf = (text: string) => text.slice(0, QUERY_LIMIT).replaceAll(/[“”„]/g, '"').matchAll(TOKEN)

/**
 * Reads what a person typed into the search.
 *
 * @throws AppError `invalid` if a filter has a value that it does not know; one without a value (still being typed) is left out
 */
export function readSearch(text: string, clock: SearchClock): SearchQuery {
  const filters: SearchFilters = { ...NO_FILTERS, kinds: [], tools: [], agents: [], projects: [], sessions: [] }
  const { words, filters: asked } = splitSearch(text)
  for (const [name, values] of asked) for (const value of values) addFilter(filters, name, value, clock)
  return { words, filters }
}

/** The query with a filter added, or taken out if it has it: what a click on a facet does. */
export function toggleFilter(text: string, name: FilterName, value: string): string {
  const written = /[\s"]/.test(value) ? `${name}:"${value.replaceAll('"', '')}"` : `${name}:${value}`
  const tokens = Array.from(tokensOf(text), ([token]) => token)
  const rest = tokens.filter((token) => token.toLowerCase() !== written.toLowerCase())
  return (rest.length < tokens.length ? rest : [...tokens, written]).join(' ')
}

const filterName = (name: string | undefined): FilterName | undefined => {
  const known = name?.toLowerCase()
  return known !== undefined && Object.hasOwn(FILTERS, known) ? (known as FilterName) : undefined
}

function addFilter(filters: SearchFilters, name: FilterName, value: string, clock: SearchClock): void {
  switch (name) {
    case 'is': {
      const kind = value.toLowerCase()
      if (!Object.hasOwn(SEARCH_KINDS, kind)) throw unknownValue(name, value)
      filters.kinds.push(kind as SearchKind)
      return
    }
    case 'tool':
      filters.tools.push(value.toLowerCase())
      return
    case 'agent':
      filters.agents.push(value.toLowerCase())
      return
    case 'project':
      filters.projects.push(value.toLowerCase())
      return
    case 'session':
      filters.sessions.push(value)
      return
    case 'before':
    case 'after':
      filters[name] = timeOf(name, value, clock)
  }
}

const DAY = /^\d{4}-\d\d-\d\d$/
const AGO = /^(\d{1,5})([hdw])$/i
const UNIT_MS: Readonly<Record<string, number>> = { h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS }

function timeOf(name: 'before' | 'after', value: string, { now, timeZone = UTC }: SearchClock): number {
  const ago = AGO.exec(value)
  if (ago !== null) return now - Number(ago[1]) * (UNIT_MS[ago[2]?.toLowerCase() ?? ''] ?? 0)
  if (!DAY.test(value) || Number.isNaN(Date.parse(`${value}T00:00:00Z`))) throw unknownValue(name, value)
  return new ZoneDays(timeZone).beginOf(value)
}

const unknownValue = (name: FilterName, value: string): AppError =>
  new AppError('invalid', `The search does not know ${name}:${value}.`, {
    hint: `After ${name}: write ${FILTERS[name]}. Write "${name}:${value}" in quotes to search for the text.`,
  })
