import type { TreeStatus } from '../../../src/domain/tree-entry'
import { oneOf, type Search, textOf, writeSearch } from './search'

/** What a person asks for, and the statuses that it means; what needs them follows from no status alone. */
export const STATUS_GROUPS = {
  running: ['running', 'in_progress'],
  needs: 'needed',
  blocked: ['pending', 'unassigned', 'offered', 'paused'],
  failed: ['failed', 'killed', 'lost'],
  done: ['completed', 'ended', 'cancelled'],
} as const satisfies Record<string, readonly TreeStatus[] | 'needed'>
export type StatusGroup = keyof typeof STATUS_GROUPS
export const GROUP_NAMES = Object.keys(STATUS_GROUPS) as StatusGroup[]

/** Hours back from now. */
export const SPANS = { '1h': 1, '24h': 24, '7d': 168 } as const
export type Span = keyof typeof SPANS
const SPAN_NAMES = Object.keys(SPANS) as Span[]

export interface TreeSearch {
  status?: StatusGroup
  q?: string
  span?: Span
  /** Entries whose level is shown. `undefined`: the person has not chosen, the newest is open. */
  open?: readonly string[]
  /** An entry to go to: its path is opened, and it becomes the current one. */
  at?: string
}

/** A group as the server is asked for it. */
export function groupFilter(group: StatusGroup | undefined): { status?: TreeStatus[]; needed?: true } {
  if (group === undefined) return {}
  const means = STATUS_GROUPS[group]
  return means === 'needed' ? { needed: true } : { status: [...means] }
}

/** An address should stay below what browsers and people put up with. */
const MAX_OPEN_CHARACTERS = 1_600

export function parseTreeSearch(search: Search): TreeSearch {
  const status = oneOf(GROUP_NAMES, search.status)
  const q = textOf(search.q)
  const span = oneOf(SPAN_NAMES, search.span)
  const at = textOf(search.at)
  const open = search.open === undefined ? undefined : search.open.split('~').filter((id) => id !== '' && id !== '-')
  return {
    ...(status && { status }),
    ...(q && { q }),
    ...(span && { span }),
    ...(open && { open }),
    ...(at && { at }),
  }
}

/** The path of the tree. Where more is open than an address can hold, what was opened last stays. */
export function treePath({ open, ...rest }: TreeSearch): string {
  const kept: string[] = []
  let length = 0
  for (const id of (open ?? []).toReversed()) {
    length += encodeURIComponent(id).length + 1
    if (length > MAX_OPEN_CHARACTERS) break
    kept.unshift(id)
  }
  // `-` says that nothing is open, which is not the same as no choice.
  return `/tree${writeSearch({ ...rest, open: open === undefined ? undefined : kept.join('~') || '-' })}`
}
