import { type SessionId, sessionId } from '#domain/ids'
import { type Search, textOf, writeSearch } from '../../lib/search'

/** Which sessions are compared; `null` = not chosen yet. */
export interface ComparePlace {
  a: SessionId | null
  b: SessionId | null
}

const idOf = (value: unknown): SessionId | null => {
  const text = textOf(value)
  return text === undefined ? null : sessionId(text)
}

/** Parses the search part of the page. */
export const parseCompareSearch = (search: Search): ComparePlace => ({ a: idOf(search.a), b: idOf(search.b) })

/** The address of a comparison. */
export const comparePath = ({ a, b }: ComparePlace): string => `/compare${writeSearch({ a, b })}`
