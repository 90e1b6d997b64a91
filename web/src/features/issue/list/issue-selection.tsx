import { useMemo, useState } from 'react'
import { Button } from '../../../components/ui/button'
import { KeyHint } from '../../../components/ui/key-hint'
import { counted } from '../../../lib/format'
import type { ListedIssue } from '../issue-query'

/** Issues that are selected, which changes then apply to together. */
export interface IssueSelection {
  /** By their ids, as they were when they were selected. */
  chosen: ReadonlyMap<string, ListedIssue>
  toggle(issue: ListedIssue): void
  add(issue: ListedIssue): void
  /** @returns whether any was selected */
  clear(): boolean
}

const NOTHING: ReadonlyMap<string, ListedIssue> = new Map()

/** @param list  names the list; what was selected in another one is dropped */
export function useIssueSelection(list: string): IssueSelection {
  const [state, setState] = useState({ list, chosen: NOTHING })
  const chosen = state.list === list ? state.chosen : NOTHING
  return useMemo(() => {
    const put = (next: ReadonlyMap<string, ListedIssue>) => setState({ list, chosen: next })
    return {
      chosen,
      toggle(issue) {
        const next = new Map(chosen)
        if (!next.delete(issue.id)) next.set(issue.id, issue)
        put(next)
      },
      add: (issue) => put(new Map(chosen).set(issue.id, issue)),
      clear() {
        if (chosen.size > 0) put(NOTHING)
        return chosen.size > 0
      },
    }
  }, [list, chosen])
}

/** How many issues are selected, and what can be done with them. */
export function SelectionBar({ selection }: { selection: IssueSelection }) {
  const { size } = selection.chosen
  return (
    <div role="status" data-testid="selection-bar" className={size === 0 ? 'sr-only' : BAR}>
      {size === 0 ? null : (
        <>
          <span className="font-medium text-ink">{counted(size, 'issue')} selected</span>
          <span className="max-md:hidden">
            <KeyHint keys="p" /> priority <KeyHint keys="s" /> status <KeyHint keys="l" /> label <KeyHint keys="@" />{' '}
            assignee <KeyHint keys="x" /> close
          </span>
          <Button look="quiet" className="ml-auto" onClick={() => selection.clear()}>
            Clear <KeyHint keys="Escape" />
          </Button>
        </>
      )}
    </div>
  )
}

const BAR = 'tint-accent flex min-h-8 items-center gap-3 border-b border-line px-3 text-xs text-ink-2'
