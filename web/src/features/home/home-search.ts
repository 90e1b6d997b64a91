import { type Search, textOf, writeSearch } from '../../lib/search'

/** What Home shows. */
export interface HomeSearch {
  /** The current need, which shortcuts act on. */
  need?: string
  /** ID of the request whose dialog is open. */
  request?: string
}

/** Parses the search part of Home. */
export function parseHomeSearch(search: Search): HomeSearch {
  const need = textOf(search.need)
  const request = textOf(search.request)
  return { ...(need !== undefined && { need }), ...(request !== undefined && { request }) }
}

/** Path of Home. */
export const homePath = (search: HomeSearch): string => `/${writeSearch({ ...search })}`
