import { useLocation, useSearch } from '@tanstack/react-router'
import { type ReactNode, useCallback, useMemo } from 'react'
import { type KeyBinding, useKeys } from '../../../lib/keys/keys'
import { taskPath, useGo, withSearch } from '../../../lib/links'
import type { Search } from '../../../lib/search'
import { parseNewTaskSearch } from '../page/task-page-search'
import { NewTask } from './new-task'
import { lastFolder } from './task-draft'

interface NewTaskOptions {
  keys: string
  label: string
  parent?: string
  folder?: string | undefined
}

interface NewTaskPlace {
  open(): void
  /** The dialog, if the address says that it is open. */
  element: ReactNode
}

/**
 * The dialog for a new task, whose state is in the address (`?new=1&parent=…&issue=…`), and the shortcut that opens it.
 *
 * @param parent  the parent task, unless the address names another
 * @param folder  the initial folder: that of the shown project. Default: that of the task which was created last in this tab, unless
 *   it is for an issue, whose folder is its own
 */
export function useNewTask({ keys, label, parent, folder }: NewTaskOptions): NewTaskPlace {
  const { pathname } = useLocation()
  const search: Search = useSearch({ strict: false })
  const go = useGo()
  const dialog = parseNewTaskSearch(search)
  const open = useCallback(
    () => go(withSearch(pathname, search, { new: '1', ...(parent !== undefined && { parent }) })),
    [go, pathname, search, parent],
  )
  const bindings = useMemo(
    (): KeyBinding[] => [{ keys, act: 'tasks.create', label, group: 'Tasks', opensField: true, run: open }],
    [keys, label, open],
  )
  useKeys(bindings)
  const dir = folder ?? ((dialog.issue ?? '') === '' ? lastFolder() : undefined)
  const close = () =>
    go(withSearch(pathname, search, { new: undefined, ...(parent !== undefined && { parent: undefined }) }), {
      replace: true,
    })
  return {
    open,
    element: dialog.isOpen ? (
      <NewTask
        parent={dialog.parent ?? ''}
        issue={dialog.issue ?? ''}
        {...(dir !== undefined && (dialog.parent ?? '') === '' && { start: { dir } })}
        onClose={close}
        // Replaces the dialog in the history, so that the back button leads to where it was opened.
        onCreated={(task) => go(taskPath(task.id), { replace: true })}
      />
    ) : null,
  }
}
