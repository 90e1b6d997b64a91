import { oneOf, type Search, textOf, writeSearch } from '../../../lib/search'

/** Views of the log; default: all lines. `words`: text of the agent. `moves`: status changes of task and run. */
export const LOG_VIEWS = ['words', 'moves'] as const
export type LogView = (typeof LOG_VIEWS)[number]

/** What the page of a task shows. */
export interface TaskPageSearch {
  log?: LogView
  /** Whether related tasks are shown as a tree. */
  tree?: true
}

/** Parses the search part of the page of a task. */
export function parseTaskPageSearch(search: Search): TaskPageSearch {
  const log = oneOf(LOG_VIEWS, search.log)
  return { ...(log !== undefined && { log }), ...(search.tree === '1' && { tree: true as const }) }
}

/** The dialog for a new task, which any page about tasks can open. */
export interface NewTaskSearch {
  isOpen: boolean
  /** ID of the parent task. */
  parent?: string
  /** ID of the issue. */
  issue?: string
}

/** Parses the dialog for a new task. */
export function parseNewTaskSearch(search: Search): NewTaskSearch {
  if (search.new !== '1') return { isOpen: false }
  const parent = textOf(search.parent)
  const issue = textOf(search.issue)
  return { isOpen: true, ...(parent !== undefined && { parent }), ...(issue !== undefined && { issue }) }
}

/** Formats the search part of the page of a task, with the dialog if it is open. */
export function writeTaskPageSearch({ log, tree }: TaskPageSearch, dialog: NewTaskSearch = { isOpen: false }): string {
  const { isOpen, ...words } = dialog
  return writeSearch({ log, tree: tree && '1', ...(isOpen && { new: '1', ...words }) })
}
