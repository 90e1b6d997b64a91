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
const MAX_NAME_CHARACTERS = 60
/** Characters of a search part at most. */
const MAX_SEARCH_CHARACTERS = 4_000
const NONE: readonly SavedFilter[] = []

/** The views that a former version stored in this browser, without invalid ones. */
export const savedFilters = (): readonly SavedFilter[] => readFilters(readKept())

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

/** The stored text; `null` if there is none or the browser blocks storage. */
function readKept(): string | null {
  try {
    return localStorage.getItem(FILTERS_KEY)
  } catch {
    return null
  }
}

/** Removes what is stored. */
export const forgetFilters = (): void => localStorage.removeItem(FILTERS_KEY)

/** The search of a stored view. A view without a project keeps the current one. */
export function applyFilter(filter: SavedFilter, now: IssuesSearch): IssuesSearch {
  const wanted = parseIssuesSearch(parseSearch(filter.search))
  return wanted.project === undefined && now.project !== undefined ? { ...wanted, project: now.project } : wanted
}

/** Whether a view is the current one. */
export const isApplied = (filter: SavedFilter, now: IssuesSearch): boolean =>
  writeIssuesSearch(applyFilter(filter, now)) === writeIssuesSearch(now)
