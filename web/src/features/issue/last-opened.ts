import { keep, readKept } from '../task/form/task-draft'

/** Session storage key. */
const LAST_OPENED_KEY = 'lodeline.issue-opened'

/** ID of the issue that was last opened from a list, so that the list can return to it. */
export const lastOpened = (): string | null => readKept(LAST_OPENED_KEY)

/** Remembers the issue that was opened from a list. */
export const rememberOpened = (id: string): void => keep(LAST_OPENED_KEY, id)
