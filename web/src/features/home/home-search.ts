import { type Search, textOf, writeSearch } from '../../lib/search'

/** The lists of Home. */
export const HOME_TABS = ['needs', 'running', 'finished', 'digest'] as const
export type HomeTab = (typeof HOME_TABS)[number]

/** What Home shows. */
export interface HomeSearch {
  /** The list; default: the needs. */
  tab?: Exclude<HomeTab, 'needs'>
  /** The current row of the needs, which shortcuts act on. */
  need?: string
  /** Only what is of this agent CLI. */
  agent?: string
  /** ID of the request whose dialog is open. */
  request?: string
}

/** Parses the search part of Home. */
export function parseHomeSearch(search: Search): HomeSearch {
  const need = textOf(search.need)
  const request = textOf(search.request)
  const agent = textOf(search.agent)
  const tab = HOME_TABS.find((name) => name === search.tab)
  return {
    ...(tab !== undefined && tab !== 'needs' && { tab }),
    ...(need !== undefined && { need }),
    ...(agent !== undefined && { agent }),
    ...(request !== undefined && { request }),
  }
}

/** Path of Home. */
export const homePath = (search: HomeSearch): string => `/${writeSearch({ ...search })}`

/** What a saved view of Home keeps: the list and the agent CLI, and not where somebody was in it. */
export const homeView = ({ tab, agent }: HomeSearch): string =>
  homePath({ ...(tab !== undefined && { tab }), ...(agent !== undefined && { agent }) }).slice(1)

/** Path of Home for another agent CLI, or all. The current row may be of another one, so it goes. */
export const withAgent = ({ tab }: HomeSearch, agent: string | undefined): string =>
  `/${homeView({ ...(tab !== undefined && { tab }), ...(agent !== undefined && { agent }) })}`
