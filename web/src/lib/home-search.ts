import { type Search, textOf, writeSearch } from './search'

export interface HomeSearch {
  /** The need that keys act on. */
  need?: string
  /** A request from outside that is open. */
  request?: string
}

export function parseHomeSearch(search: Search): HomeSearch {
  const need = textOf(search.need)
  const request = textOf(search.request)
  return { ...(need !== undefined && { need }), ...(request !== undefined && { request }) }
}

export const homePath = (search: HomeSearch): string => `/${writeSearch({ ...search })}`
