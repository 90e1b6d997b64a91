import type { AgentName } from '../ids'

/** By what a list of sessions is sorted. `active`: when it was last heard of. `length`: from its first line to its last. */
export const SESSION_SORTS = [
  'active',
  'started',
  'length',
  'events',
  'calls',
  'errors',
  'files',
  'tokens',
  'cost',
] as const
export type SessionSort = (typeof SESSION_SORTS)[number]

export interface SessionOrder {
  by: SessionSort
  /** Smallest, or oldest, first. */
  isAscending: boolean
}

export const NEWEST_FIRST: SessionOrder = { by: 'active', isAscending: false }

/** Numbers from `from` up to, and without, `below`; `null` = no bound. */
export interface Span {
  from: number | null
  below: number | null
}

/** What sessions are counted by, and narrowed to. The last three are spans of numbers. */
export const SESSION_FACETS = [
  'agent',
  'project',
  'model',
  'branch',
  'host',
  'person',
  'errors',
  'cost',
  'length',
] as const
export type SessionFacet = (typeof SESSION_FACETS)[number]

/** The spans that are counted: of failed tool calls, of US dollars, and of seconds. */
export const COUNTED_SPANS = {
  errors: ['..1', '1..5', '5..'],
  cost: ['..0.1', '0.1..1', '1..10', '10..'],
  length: ['..60', '60..600', '600..3600', '3600..28800', '28800..'],
} as const satisfies Partial<Record<SessionFacet, readonly string[]>>

/** Which sessions a list shows, by facet. `null` = those that have none. */
export interface FacetFilter {
  agent?: AgentName | undefined
  /** A project's folder, name or key in the tree: all its work trees, and all clones of its remote. */
  project?: string | null | undefined
  model?: string | null | undefined
  branch?: string | null | undefined
  /** The machine's own name. */
  host?: string | undefined
  /** The person or program that asked for the newest task of this conversation. */
  person?: string | undefined
  errors?: Span | undefined
  /** US dollars. */
  cost?: Span | undefined
  /** Seconds. */
  length?: Span | undefined
}

export interface FacetValue {
  /** What the filter takes; `null` = sessions that have none. */
  value: string | null
  /** For people; `null` = the value says it. */
  label: string | null
  sessions: number
}

/** How many sessions there are, and of what kinds. Each facet counts what all filters but its own let through. */
export interface SessionFacets {
  total: number
  /** Most sessions first; spans in their order. Branches are cut to the most used ones. */
  facets: Record<SessionFacet, FacetValue[]>
}

const NUMBER = '(\\d{1,12}(?:\\.\\d{1,6})?)?'
const SPAN = new RegExp(`^${NUMBER}\\.\\.${NUMBER}$`)

/** `1..5`, `..1`, `5..`: with at least one bound. `null` = it is no span. */
export function parseSpan(text: string): Span | null {
  const [all, from, below] = SPAN.exec(text) ?? []
  if (all === undefined || (from === undefined && below === undefined)) return null
  const span = {
    from: from === undefined ? null : Number(from),
    below: below === undefined ? null : Number(below),
  }
  return span.from !== null && span.below !== null && span.from >= span.below ? null : span
}
