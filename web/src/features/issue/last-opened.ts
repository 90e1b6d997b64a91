import { keep, readKept } from '../task/form/task-draft'

/** Session storage key. */
const LAST_OPENED_KEY = 'lodeline.issue-opened'

/** ID of the issue that was last opened from a list, so that the list can return to it. */
export const lastOpened = (): string | null => readKept(LAST_OPENED_KEY)

/** Remembers the issue that was opened from a list. */
export const rememberOpened = (id: string): void => keep(LAST_OPENED_KEY, id)

/** The list that was shown last, as the page of an issue goes on in it. Until the page is loaded anew. */
let last: { path: string; ids: readonly string[] } = { path: '/issues', ids: [] }

/** @param path  the address of the list @param ids  of its issues, as far as they are loaded */
export function rememberList(path: string, ids: readonly string[]): void {
  last = { path, ids }
}

/** The address of the list that was shown last. */
export const lastList = (): string => last.path

/** The issue that stands behind another one in that list, or before it. */
export function besideIssue(id: string, by: 1 | -1): string | undefined {
  const at = last.ids.indexOf(id)
  return at === -1 ? undefined : last.ids[at + by]
}
