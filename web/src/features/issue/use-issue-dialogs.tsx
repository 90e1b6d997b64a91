import { type ReactNode, useCallback, useMemo, useState } from 'react'
import { type KeyBinding, useKeys } from '../../lib/keys/keys'
import { useMe } from '../../lib/me'
import { type ListedIssue, useStatuses } from './issue-query'
import { NewIssueDialog } from './new-issue-dialog'
import { CloseDialog } from './page/close-dialog'
import { DispatchDialog } from './page/dispatch-dialog'
import { DIGITS, QuickChange, type QuickField } from './quick-change'
import { quickVerbs } from './quick-verbs'

type Open =
  | { kind: 'new'; parentId?: string }
  | { kind: 'close'; issues: IssueGroup }
  | { kind: 'dispatch'; issue: ListedIssue }
  | { kind: 'change'; field: QuickField; issues: IssueGroup }

/** One issue or more. */
export type IssueGroup = readonly [ListedIssue, ...ListedIssue[]]

/** Keys that change one field. `l` goes to the next column where there are columns. */
const QUICK_KEYS = [
  ['p', 'priority', 'set the priority'],
  ['s', 'status', 'set the status'],
  ['l', 'label', 'add or remove a label'],
  ['@', 'assignee', 'assign it'],
] as const

/** What can be done with several issues. */
export type IssueAct = QuickField | 'close'

/** Opens dialogs about issues. */
export interface IssueDialogs {
  openNew(parentId?: string): void
  /** Closes an issue, or reopens a closed one. */
  openClose(issue: ListedIssue): void
  openDispatch(issue: ListedIssue): void
  /** Opens the menu of a field, or the dialog to close, of all that shortcuts act on. */
  openForAll(act: IssueAct): void
  element: ReactNode
}

/**
 * The dialogs about issues, with their shortcuts.
 *
 * @param current  returns the issues that shortcuts act on: the selected ones, or the current one
 * @param hasColumns  whether `h` and `l` lead to other columns
 */
export function useIssueDialogs(
  project: string | undefined,
  current: () => readonly ListedIssue[],
  hasColumns = false,
): IssueDialogs {
  const [open, setOpen] = useState<Open | null>(null)
  const close = useCallback(() => setOpen(null), [])
  const targets = useCallback((): IssueGroup | null => {
    const [issue, ...others] = current()
    return issue === undefined ? null : [issue, ...others]
  }, [current])
  const bindings = useMemo((): KeyBinding[] => {
    const group = 'Issues'
    const on = (what: (issues: IssueGroup) => Open) => () => {
      const issues = targets()
      if (issues === null) return false
      setOpen(what(issues))
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
      {
        keys: 'x',
        act: 'issues.close',
        label: 'close or reopen the issue',
        group,
        opensField: true,
        run: on((issues) => ({ kind: 'close', issues })),
      },
      ...QUICK_KEYS.filter(([keys]) => keys !== 'l' || !hasColumns).map(
        ([keys, field, label]): KeyBinding => ({
          keys,
          act: 'issues.update',
          label,
          group,
          opensField: field === 'label' || field === 'assignee',
          run: on((issues) => ({ kind: 'change', field, issues })),
        }),
      ),
      {
        keys: 't',
        act: 'issues.dispatch',
        label: 'dispatch the issue as a task',
        group,
        run: on(([issue]) => ({ kind: 'dispatch', issue })),
      },
    ]
  }, [targets, hasColumns])
  useVerbs(project, targets)
  useKeys(bindings)

  return {
    openNew: (parentId) => setOpen({ kind: 'new', ...(parentId !== undefined && { parentId }) }),
    openClose: (issue) => setOpen({ kind: 'close', issues: [issue] }),
    openForAll: (act) => {
      const issues = targets()
      if (issues !== null) setOpen(act === 'close' ? { kind: act, issues } : { kind: 'change', field: act, issues })
    },
    openDispatch: (issue) => setOpen({ kind: 'dispatch', issue }),
    element:
      open === null ? null : open.kind === 'new' ? (
        <NewIssueDialog project={project} parentId={open.parentId} onClose={close} />
      ) : open.kind === 'change' ? (
        <QuickChange field={open.field} issues={open.issues} project={project} onClose={close} />
      ) : open.kind === 'close' ? (
        <CloseDialog issues={open.issues} project={project} onClose={close} />
      ) : (
        <DispatchDialog issue={open.issue} project={project} onClose={close} />
      ),
  }
}

/** The choices of the menus as commands of the command bar. */
function useVerbs(project: string | undefined, targets: () => IssueGroup | null): void {
  const statuses = useStatuses(project).data?.statuses
  const me = useMe()?.name ?? undefined
  useKeys(
    useMemo(
      () => quickVerbs({ project, me, targets, statuses: (statuses ?? []).map(({ name }) => name).slice(0, DIGITS) }),
      [project, me, targets, statuses],
    ),
  )
}
