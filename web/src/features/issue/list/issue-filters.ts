import { useSyncExternalStore } from 'react'
import { parseSearch } from '../../../lib/search'
import { type IssuesSearch, parseIssuesSearch, writeIssuesSearch } from './issue-search'

/** A named view of issues. `search`: the search part of its address. */
export interface SavedFilter {
  name: string
  search: string
}

/** Views for everyone, which work in every project. */
export const BUILT_IN_FILTERS: readonly SavedFilter[] = [
  { name: 'Ready', search: '?view=ready' },
  { name: 'In progress', search: '?status=in_progress' },
  { name: 'Open bugs', search: '?type=bug' },
  { name: 'Blocked', search: '?blocked=1' },
  { name: 'Stale for 30 days', search: '?stale=30&order=updated&reversed=1' },
  { name: 'Board', search: '?view=board' },
]

/** Local storage key. */
const FILTERS_KEY = 'lodeline.issue-filters'
/** Saved views at most. */
const MAX_SAVED = 50
/** Characters of a name at most. */
export const MAX_NAME_CHARACTERS = 60
/** Characters of a search part at most. */
const MAX_SEARCH_CHARACTERS = 4_000
const NONE: readonly SavedFilter[] = []

const listeners = new Set<() => void>()
let known: { text: string | null; filters: readonly SavedFilter[] } | null = null

/** The views that this browser stores, without invalid ones. */
export function savedFilters(): readonly SavedFilter[] {
  const text = readKept()
  if (known === null || known.text !== text) known = { text, filters: readFilters(text) }
  return known.filters
}

/** Parses stored views. */
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
  value.name.length <= MAX_NAME_CHARACTERS &&
  typeof value.search === 'string' &&
  value.search.length <= MAX_SEARCH_CHARACTERS

/** Stores the current view under a name; a view with the same name is replaced. */
export function saveFilter(name: string, search: IssuesSearch): void {
  const named = name.trim().slice(0, MAX_NAME_CHARACTERS)
  if (named === '') return
  const others = savedFilters().filter((one) => one.name !== named)
  write([...others, { name: named, search: writeIssuesSearch(search) }].slice(-MAX_SAVED))
}

/** Removes a stored view. */
export const removeFilter = (name: string): void => write(savedFilters().filter((one) => one.name !== name))

/** The stored text; `null` if there is none or the browser blocks storage. */
function readKept(): string | null {
  try {
    return localStorage.getItem(FILTERS_KEY)
  } catch {
    return null
  }
}

/** Stores views. @throws Error  the storage is full or blocked */
function write(filters: readonly SavedFilter[]): void {
  localStorage.setItem(FILTERS_KEY, JSON.stringify(filters))
  for (const tell of listeners) tell()
}

/** The stored views, kept up to date. */
export const useSavedFilters = (): readonly SavedFilter[] =>
  useSyncExternalStore((tell) => {
    listeners.add(tell)
    addEventListener('storage', tell)
    return () => {
      listeners.delete(tell)
      removeEventListener('storage', tell)
    }
  }, savedFilters)

/** The search of a stored view. A view without a project keeps the current one. */
export function applyFilter(filter: SavedFilter, now: IssuesSearch): IssuesSearch {
  const wanted = parseIssuesSearch(parseSearch(filter.search))
  return wanted.project === undefined && now.project !== undefined ? { ...wanted, project: now.project } : wanted
}

/** Whether a view is the current one. */
export const isApplied = (filter: SavedFilter, now: IssuesSearch): boolean =>
  writeIssuesSearch(applyFilter(filter, now)) === writeIssuesSearch(now)
