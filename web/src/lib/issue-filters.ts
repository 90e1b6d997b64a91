import { useSyncExternalStore } from 'react'
import { type IssuesSearch, parseIssuesSearch, writeIssuesSearch } from './issue-search'
import { parseSearch } from './search'

/** A view of issues with a name. `search` is what stands behind `?`. */
export interface SavedFilter {
  name: string
  search: string
}

/** There for everyone; each works in every project. */
export const BUILT_IN_FILTERS: readonly SavedFilter[] = [
  { name: 'Ready', search: '?view=ready' },
  { name: 'At work', search: '?status=in_progress' },
  { name: 'Open bugs', search: '?type=bug' },
  { name: 'Blocked', search: '?blocked=1' },
  { name: 'Stale for 30 days', search: '?stale=30&order=updated&reversed=1' },
  { name: 'Board', search: '?view=board' },
]

const KEY = 'lodeline.issue-filters'
const MAX_SAVED = 50
const MAX_NAME = 60
const NONE: readonly SavedFilter[] = []

const listeners = new Set<() => void>()
let known: { text: string | null; filters: readonly SavedFilter[] } | null = null

/** What this browser keeps. What is no filter of ours is left out. */
export function savedFilters(): readonly SavedFilter[] {
  const text = readKept()
  if (known === null || known.text !== text) known = { text, filters: readFilters(text) }
  return known.filters
}

export function readFilters(text: string | null): readonly SavedFilter[] {
  if (text === null) return NONE
  try {
    const value: unknown = JSON.parse(text)
    if (!Array.isArray(value)) return NONE
    return value.filter(isSavedFilter).slice(0, MAX_SAVED)
  } catch {
    return NONE
  }
}

const isSavedFilter = (value: unknown): value is SavedFilter =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  'search' in value &&
  typeof value.name === 'string' &&
  value.name !== '' &&
  value.name.length <= MAX_NAME &&
  typeof value.search === 'string' &&
  value.search.length <= 4_000

/** Keeps what is shown under a name; one of that name is replaced. */
export function saveFilter(name: string, search: IssuesSearch): void {
  const named = name.trim().slice(0, MAX_NAME)
  if (named === '') return
  const others = savedFilters().filter((one) => one.name !== named)
  write([...others, { name: named, search: writeIssuesSearch(search) }].slice(-MAX_SAVED))
}

export const removeFilter = (name: string): void => write(savedFilters().filter((one) => one.name !== name))

/** A browser may refuse to keep anything. */
function readKept(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}

/** @throws Error  the browser has no room for it, or keeps nothing */
function write(filters: readonly SavedFilter[]): void {
  localStorage.setItem(KEY, JSON.stringify(filters))
  for (const tell of listeners) tell()
}

export const useSavedFilters = (): readonly SavedFilter[] =>
  useSyncExternalStore((tell) => {
    listeners.add(tell)
    addEventListener('storage', tell)
    return () => {
      listeners.delete(tell)
      removeEventListener('storage', tell)
    }
  }, savedFilters)

/** A saved filter's view. One that names no project keeps the one that is shown. */
export function applyFilter(filter: SavedFilter, now: IssuesSearch): IssuesSearch {
  const wanted = parseIssuesSearch(parseSearch(filter.search))
  return wanted.project === undefined && now.project !== undefined ? { ...wanted, project: now.project } : wanted
}

/** Whether it is what is shown now. */
export const isApplied = (filter: SavedFilter, now: IssuesSearch): boolean =>
  writeIssuesSearch(applyFilter(filter, now)) === writeIssuesSearch(now)
