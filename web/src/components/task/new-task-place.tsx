import { useLocation, useSearch } from '@tanstack/react-router'
import { type ReactNode, useCallback, useMemo } from 'react'
import { type KeyBinding, useKeys } from '../../lib/keys'
import { taskPath, useGo, withSearch } from '../../lib/links'
import type { Search } from '../../lib/search'
import { parseNewTaskSearch } from '../../lib/task-page-search'
import { NewTask } from './new-task'

interface NewTaskOptions {
  keys: string
  label: string
  parent?: string
  folder?: string | undefined
}

interface NewTaskPlace {
  open(): void
  /** The dialog, where the address says that it is open. */
  element: ReactNode
}

/**
 * The dialog for a new task in a page's address (`?new=1&parent=…&issue=…`), with the key that opens it.
 *
 * @param parent  the task that it follows up, unless the address names another
 * @param folder  of the project in view: where the task is to run unless the person says otherwise
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
    (): KeyBinding[] => [{ keys, label, group: 'Tasks', opensField: true, run: open }],
    [keys, label, open],
  )
  useKeys(bindings)
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
        {...(folder !== undefined && (dialog.parent ?? '') === '' && { start: { dir: folder } })}
        onClose={close}
        // In place of the dialog: the way back leads to where it was opened.
        onCreated={(task) => go(taskPath(task.id), { replace: true })}
      />
    ) : null,
  }
}
