import { type ReactNode, useCallback, useMemo, useState } from 'react'
import { type KeyBinding, useKeys } from '../../lib/keys/keys'
import type { ListedIssue } from './issue-query'
import { NewIssueDialog } from './new-issue-dialog'
import { CloseDialog } from './page/close-dialog'
import { DispatchDialog } from './page/dispatch-dialog'

type Open = { kind: 'new'; parentId?: string } | { kind: 'close' | 'dispatch'; issue: ListedIssue }

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
 */
export function useIssueDialogs(project: string | undefined, current: () => ListedIssue | undefined): IssueDialogs {
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
      { keys: 't', act: 'issues.dispatch', label: 'dispatch the issue as a task', group, run: on('dispatch') },
    ]
  }, [current])
  useKeys(bindings)

  return {
    openNew: (parentId) => setOpen({ kind: 'new', ...(parentId !== undefined && { parentId }) }),
    openClose: (issue) => setOpen({ kind: 'close', issue }),
    openDispatch: (issue) => setOpen({ kind: 'dispatch', issue }),
    element:
      open === null ? null : open.kind === 'new' ? (
        <NewIssueDialog project={project} parentId={open.parentId} onClose={close} />
      ) : open.kind === 'close' ? (
        <CloseDialog issue={open.issue} project={project} onClose={close} />
      ) : (
        <DispatchDialog issue={open.issue} project={project} onClose={close} />
      ),
  }
}
