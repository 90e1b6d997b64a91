import { keep, readKept } from './task-draft'

const KEY = 'lodeline.issue-opened'

/** The issue that was opened last out of a list, so that who comes back finds the place again. */
export const lastOpened = (): string | null => readKept(KEY)

export const rememberOpened = (id: string): void => keep(KEY, id)
