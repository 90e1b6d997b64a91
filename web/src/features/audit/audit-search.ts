import type { Inputs } from '#api/contract/operations/index'
import { AUDIT_ACT_NAMES, type AuditAct } from '#domain/audit'
import { DAY_MS } from '#domain/time-units'
import { oneOf, type Search, textOf, writeSearch } from '../../lib/search'

/** Time spans up to now, in days; without one all lines are shown. */
export const AUDIT_SPANS = { '24h': 1, '7d': 7, '30d': 30 } as const
export type AuditSpan = keyof typeof AUDIT_SPANS
export const AUDIT_SPAN_NAMES = Object.keys(AUDIT_SPANS) as AuditSpan[]

export interface AuditSearch {
  act?: AuditAct
  /** A kind of actor, or a name. */
  who?: string
  since?: AuditSpan
}

/** Characters of a name that the API takes. */
const MAX_WHO = 300

/** Parses the search part of the audit page. */
export function parseAuditSearch(search: Search): AuditSearch {
  const found: AuditSearch = {}
  const act = oneOf(AUDIT_ACT_NAMES, search.act)
  const who = textOf(search.who)
  const since = oneOf(AUDIT_SPAN_NAMES, search.since)
  if (act !== undefined) found.act = act
  if (who !== undefined) found.who = who.slice(0, MAX_WHO)
  if (since !== undefined) found.since = since
  return found
}

/** Path of the audit page. */
export const auditPath = (search: AuditSearch): string => `/audit${writeSearch({ ...search })}`

/** The request for a search. @param now  milliseconds since the epoch */
export const auditInput = ({ since, ...rest }: AuditSearch, now: number): Inputs['audit']['list'] => ({
  ...rest,
  ...(since !== undefined && { since: new Date(now - AUDIT_SPANS[since] * DAY_MS).toISOString() }),
})
