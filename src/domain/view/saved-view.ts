import type { Awaitable } from '../port'

/** Lists whose filters and order can be saved under a name. */
export const VIEW_LISTS = ['sessions', 'tasks', 'issues', 'home'] as const
export type ViewList = (typeof VIEW_LISTS)[number]

export const VIEW_LIMITS = { name: 60, search: 4_000, perPerson: 200, project: 4_096 } as const

/** A list as somebody likes to look at it. A person has one of a name for each list. */
export interface SavedView {
  list: ViewList
  name: string
  /** The search part of the list's address, with its `?`; '' = the list as it opens. */
  search: string
  /** Visible to everybody who reads here. */
  isShared: boolean
  /** The folder of a project: others see it only where they look at that project. `null` = everywhere. */
  project: string | null
  /** Name of the person whose it is; '' = the operator. */
  owner: string
}

export interface ViewReads {
  /**
   * A person's own views and those that others share, by name.
   *
   * @param project  what is looked at, as a folder, name or key: views that are shared with it are listed too
   */
  list(owner: string, list: ViewList | null, project?: string): Promise<SavedView[]>
  /** The folder of a project that is given as a folder, name or key; one that is not known stays as it is. */
  projectOf(given: string): Promise<string>
}

export interface ViewTx {
  /** Puts it in the place of that person's view of the same name. */
  put(view: SavedView): Awaitable<void>
  /** @returns whether there was one */
  remove(owner: string, list: ViewList, name: string): Awaitable<boolean>
  count(owner: string): Awaitable<number>
}
