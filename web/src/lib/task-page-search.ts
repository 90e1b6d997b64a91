import { oneOf, type Search, textOf, writeSearch } from './search'

/** Which lines of the log are shown; left out: all. `words`: what the agent said. `moves`: what became of task and run. */
export const LOG_VIEWS = ['words', 'moves'] as const
export type LogView = (typeof LOG_VIEWS)[number]

export interface TaskPageSearch {
  log?: LogView
  /** All that is above and below it, as a tree. */
  tree?: true
}

export function parseTaskPageSearch(search: Search): TaskPageSearch {
  const log = oneOf(LOG_VIEWS, search.log)
  return { ...(log !== undefined && { log }), ...(search.tree === '1' && { tree: true as const }) }
}

/** The dialog that makes a task, which any page of tasks may hold. */
export interface NewTaskSearch {
  isOpen: boolean
  /** The task that the new one follows up. */
  parent?: string
  /** The issue that it serves. */
  issue?: string
}

export function parseNewTaskSearch(search: Search): NewTaskSearch {
  if (search.new !== '1') return { isOpen: false }
  const parent = textOf(search.parent)
  const issue = textOf(search.issue)
  return { isOpen: true, ...(parent !== undefined && { parent }), ...(issue !== undefined && { issue }) }
}

/** The part behind `?` of a page of tasks: what it shows, and the dialog where it is open. */
export function writeTaskPageSearch({ log, tree }: TaskPageSearch, dialog: NewTaskSearch = { isOpen: false }): string {
  const { isOpen, ...words } = dialog
  return writeSearch({ log, tree: tree && '1', ...(isOpen && { new: '1', ...words }) })
}
