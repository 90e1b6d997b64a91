import { parseSpan, type SessionFacet, type SessionSort, type Span } from '#domain/session/session-list'
import { lengthOf } from '../../lib/time'
import { visibleText } from '../../lib/visible-text'

/** Names of the facets. */
export const FACET_TITLES: Readonly<Record<SessionFacet, string>> = {
  agent: 'Agent CLI',
  project: 'Project',
  model: 'Model',
  branch: 'Branch',
  host: 'Host',
  person: 'Person',
  errors: 'Errors',
  cost: 'Cost',
  length: 'Duration',
}

const NO_VALUE: Readonly<Partial<Record<SessionFacet, string>>> = {
  project: 'No project',
  model: 'No model',
  branch: 'No branch',
}

/** A value of a facet for a person. @param value  null = sessions that have none */
export function facetWords(facet: SessionFacet, value: string | null, label: string | null): string {
  if (value === null) return NO_VALUE[facet] ?? 'Unknown'
  const span = facet === 'errors' || facet === 'cost' || facet === 'length' ? parseSpan(value) : null
  if (span === null) return visibleText(label ?? value)
  if (facet === 'errors') return wholeSpan(span)
  return facet === 'cost'
    ? spanWords(span, (usd) => (Number.isInteger(usd) ? `$${usd}` : `$${usd.toFixed(2)}`))
    : spanWords(span, (seconds) => lengthOf(seconds * 1_000))
}

/** `None`, `1–4`, `5 or more`. */
function wholeSpan({ from, below }: Span): string {
  if (below === null) return `${from} or more`
  const least = from ?? 0
  const most = Math.ceil(below) - 1
  if (most === 0) return 'None'
  return least >= most ? `${most}` : `${least}–${most}`
}

function spanWords({ from, below }: Span, words: (value: number) => string): string {
  if (from === null) return `Less than ${words(below ?? 0)}`
  return below === null ? `${words(from)} or more` : `${words(from)} to ${words(below)}`
}

/** Names of the orders. */
export const SORT_TITLES: Readonly<Record<SessionSort, string>> = {
  active: 'Last active',
  started: 'Started',
  length: 'Duration',
  events: 'Events',
  calls: 'Tool calls',
  errors: 'Errors',
  files: 'Files changed',
  tokens: 'Tokens',
  cost: 'Cost',
}
