import type { TreeStatus } from '#domain/overview/tree-entry'
import { oneOf, type Search, textOf, writeSearch } from '../../lib/search'

/** Choices of the status filter with the statuses that they include. Needs do not follow from a status alone. */
export const STATUS_GROUPS = {
  running: ['running', 'in_progress'],
  needs: 'needed',
  blocked: ['pending', 'unassigned', 'offered', 'paused'],
  failed: ['failed', 'killed', 'lost'],
  done: ['completed', 'ended', 'cancelled'],
} as const satisfies Record<string, readonly TreeStatus[] | 'needed'>
export type StatusGroup = keyof typeof STATUS_GROUPS
/** Names of the status choices, in display order. */
export const GROUP_NAMES = Object.keys(STATUS_GROUPS) as StatusGroup[]

/** Choices of the time filter, in hours back from now. */
export const SPANS = { '1h': 1, '24h': 24, '7d': 168 } as const
export type Span = keyof typeof SPANS
const SPAN_NAMES = Object.keys(SPANS) as Span[]

/** What the tree page shows. */
export interface TreeSearch {
  status?: StatusGroup
  q?: string
  span?: Span
  /** The name of an agent CLI. */
  agent?: string
  /** IDs of open entries. `undefined`: the person has not chosen, so the newest is open. */
  open?: readonly string[]
  /** ID of an entry to go to: the entries above are opened, and it becomes current. */
  at?: string
}

/** A status filter as the server takes it. */
export function groupFilter(group: StatusGroup | undefined): { status?: TreeStatus[]; needed?: true } {
  if (group === undefined) return {}
  const means = STATUS_GROUPS[group]
  return means === 'needed' ? { needed: true } : { status: [...means] }
}

/** Characters of open IDs in the address at most. */
const MAX_OPEN_CHARACTERS = 1_600

/** Parses the search part of the tree page. */
export function parseTreeSearch(search: Search): TreeSearch {
  const status = oneOf(GROUP_NAMES, search.status)
  const q = textOf(search.q)
  const span = oneOf(SPAN_NAMES, search.span)
  const agent = textOf(search.agent)
  const at = textOf(search.at)
  const open = search.open === undefined ? undefined : search.open.split('~').filter((id) => id !== '' && id !== '-')
  return {
    ...(status && { status }),
    ...(q && { q }),
    ...(span && { span }),
    ...(agent && { agent }),
    ...(open && { open }),
    ...(at && { at }),
  }
}

/** The path of the tree page. If too much is open for an address, the entries opened last are kept. */
export function treePath({ open, ...rest }: TreeSearch): string {
  const kept: string[] = []
  let length = 0
  for (const id of (open ?? []).toReversed()) {
    length += encodeURIComponent(id).length + 1
    if (length > MAX_OPEN_CHARACTERS) break
    kept.unshift(id)
  }
  // `-` means that nothing is open, which differs from no choice.
  return `/tree${writeSearch({ ...rest, open: open === undefined ? undefined : kept.join('~') || '-' })}`
}
