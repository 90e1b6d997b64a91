import { type ReactNode, useCallback, useMemo, useState } from 'react'
import { type KeyBinding, useKeys } from '../../lib/keys/keys'
import type { ListedIssue } from './issue-query'
import { NewIssueDialog } from './new-issue-dialog'
import { CloseDialog } from './page/close-dialog'
import { DispatchDialog } from './page/dispatch-dialog'
import { QuickChange, type QuickField } from './quick-change'

type Open =
  | { kind: 'new'; parentId?: string }
  | { kind: 'close' | 'dispatch'; issue: ListedIssue }
  | { kind: 'change'; field: QuickField; issue: ListedIssue }

/** Keys that change one field. `l` goes to the next column where there are columns. */
const QUICK_KEYS = [
  ['p', 'priority', 'set the priority'],
  ['s', 'status', 'set the status'],
  ['l', 'label', 'add or remove a label'],
  ['@', 'assignee', 'assign it'],
] as const

/** Opens dialogs about issues. */
export interface IssueDialogs {
  openNew(parentId?: string): void
  /** Closes an issue, or reopens a closed one. */
  openClose(issue: ListedIssue): void
  openDispatch(issue: ListedIssue): void
  element: ReactNode
}

/**
 * The dialogs about issues, with their shortcuts.
 *
 * @param current  returns the issue that shortcuts act on
 * @param hasColumns  whether `h` and `l` lead to other columns
 */
export function useIssueDialogs(
  project: string | undefined,
  current: () => ListedIssue | undefined,
  hasColumns = false,
): IssueDialogs {
  const [open, setOpen] = useState<Open | null>(null)
  const close = useCallback(() => setOpen(null), [])
  const bindings = useMemo((): KeyBinding[] => {
    const group = 'Issues'
    const on = (kind: 'close' | 'dispatch') => () => {
      const issue = current()
      if (issue === undefined) return false
      setOpen({ kind, issue })
      return true
    }
    return [
      {
        keys: 'n',
        act: 'issues.create',
        label: 'new issue',
        group,
        opensField: true,
        run: () => setOpen({ kind: 'new' }),
      },
      { keys: 'x', act: 'issues.close', label: 'close or reopen the issue', group, opensField: true, run: on('close') },
      ...QUICK_KEYS.filter(([keys]) => keys !== 'l' || !hasColumns).map(
        ([keys, field, label]): KeyBinding => ({
          keys,
          act: 'issues.update',
          label,
          group,
          opensField: field === 'label' || field === 'assignee',
          run: () => {
            const issue = current()
            if (issue === undefined) return false
            setOpen({ kind: 'change', field, issue })
            return true
          },
        }),
      ),
      { keys: 't', act: 'issues.dispatch', label: 'dispatch the issue as a task', group, run: on('dispatch') },
    ]
  }, [current, hasColumns])
  useKeys(bindings)

  return {
    openNew: (parentId) => setOpen({ kind: 'new', ...(parentId !== undefined && { parentId }) }),
    openClose: (issue) => setOpen({ kind: 'close', issue }),
    openDispatch: (issue) => setOpen({ kind: 'dispatch', issue }),
    element:
      open === null ? null : open.kind === 'new' ? (
        <NewIssueDialog project={project} parentId={open.parentId} onClose={close} />
      ) : open.kind === 'change' ? (
        <QuickChange field={open.field} issue={open.issue} project={project} onClose={close} />
      ) : open.kind === 'close' ? (
        <CloseDialog issue={open.issue} project={project} onClose={close} />
      ) : (
        <DispatchDialog issue={open.issue} project={project} onClose={close} />
      ),
  }
}
