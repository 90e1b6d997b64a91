import type { Inputs } from '#api/contract/operations/index'
import { SHOWN_SESSION_STATUSES, type ShownSessionStatus } from '#domain/session/session'
import {
  parseSpan,
  SESSION_FACETS,
  SESSION_SORTS,
  type SessionFacet,
  type SessionSort,
} from '#domain/session/session-list'
import { oneOf, type Search, textOf, writeSearch } from '../../lib/search'

/** Value of a facet in the address: sessions that have none. */
export const NONE = '-'

/** What the list of sessions shows. */
export type SessionsSearch = { [Facet in SessionFacet]?: string } & {
  /** Words in the title or ID. */
  q?: string
  status?: ShownSessionStatus
  /** Default: `active`. */
  sort?: Exclude<SessionSort, 'active'>
  /** Smallest or oldest first. */
  ascending?: true
}

/** Parses the search part of the list of sessions. */
export function parseSessionsSearch(search: Search): SessionsSearch {
  const found: SessionsSearch = {}
  const q = textOf(search.q)?.slice(0, 200)
  const status = oneOf(SHOWN_SESSION_STATUSES, search.status)
  const sort = oneOf(SESSION_SORTS, search.sort)
  if (q !== undefined) found.q = q
  if (status !== undefined) found.status = status
  if (sort !== undefined && sort !== 'active') found.sort = sort
  if (search.ascending === 'true') found.ascending = true
  for (const facet of SESSION_FACETS) {
    const value = textOf(search[facet])?.slice(0, 250)
    if (value !== undefined && (!isSpan(facet) || parseSpan(value) !== null)) found[facet] = value
  }
  return found
}

/** Path of the list of sessions. */
export const sessionsPath = (search: SessionsSearch): string => `/sessions${writeSearch({ ...search })}`

/** Whether a facet is a span of numbers. */
export const isSpan = (facet: SessionFacet): facet is 'errors' | 'cost' | 'length' =>
  facet === 'errors' || facet === 'cost' || facet === 'length'

/** The filter of a request. The status is not one that sessions are counted by. */
export function sessionsFilter(search: SessionsSearch): Inputs['sessions']['facets'] {
  const { q, agent, project, model, branch, host, person, errors, cost, length } = search
  const orNone = (value: string): string | null => (value === NONE ? null : value)
  return {
    ...(q !== undefined && { text: q }),
    ...(agent !== undefined && { agent }),
    ...(project !== undefined && { project: orNone(project) }),
    ...(model !== undefined && { model: orNone(model) }),
    ...(branch !== undefined && { branch: orNone(branch) }),
    ...(host !== undefined && { host }),
    ...(person !== undefined && { person }),
    ...(errors !== undefined && { errors }),
    ...(cost !== undefined && { cost }),
    ...(length !== undefined && { length }),
  }
}

/** The same with a facet narrowed to a value, or no longer if it was. @param value  null = sessions that have none */
export function withFacet(search: SessionsSearch, facet: SessionFacet, value: string | null): SessionsSearch {
  const { [facet]: was, ...rest } = search
  const next = value ?? NONE
  return was === next ? rest : { ...rest, [facet]: next }
}

/** The same in the order of a column; the other way round if that is its order. */
export function sortedBy(search: SessionsSearch, sort: SessionSort): SessionsSearch {
  const { sort: was = 'active', ascending, ...rest } = search
  const isReversed = was === sort && ascending !== true
  return {
    ...rest,
    ...(sort !== 'active' && { sort }),
    ...(isReversed && { ascending: true as const }),
  }
}
