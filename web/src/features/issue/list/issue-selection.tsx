import { useMemo, useState } from 'react'
import { Button } from '../../../components/ui/button'
import { KeyHint } from '../../../components/ui/key-hint'
import { counted } from '../../../lib/format'

/** Issues that are selected, which changes then apply to together. */
export interface IssueSelection {
  ids: ReadonlySet<string>
  toggle(id: string): void
  add(id: string): void
  clear(): void
}

const NOTHING: ReadonlySet<string> = new Set()

/** @param list  names the list; what was selected in another one is dropped */
export function useIssueSelection(list: string): IssueSelection {
  const [state, setState] = useState({ list, ids: NOTHING })
  const ids = state.list === list ? state.ids : NOTHING
  return useMemo(() => {
    const put = (next: ReadonlySet<string>) => setState({ list, ids: next })
    return {
      ids,
      toggle(id) {
        const next = new Set(ids)
        if (!next.delete(id)) next.add(id)
        put(next)
      },
      add: (id) => put(new Set(ids).add(id)),
      clear: () => put(NOTHING),
    }
  }, [list, ids])
}

/** How many issues are selected, and what can be done with them. */
export function SelectionBar({ size, onClear }: { size: number; onClear(): void }) {
  return (
    <div role="status" data-testid="selection-bar" className={size === 0 ? 'sr-only' : BAR}>
      {size === 0 ? null : (
        <>
          <span className="font-medium text-ink">{counted(size, 'issue')} selected</span>
          <span className="max-md:hidden">
            <KeyHint keys="p" /> priority <KeyHint keys="s" /> status <KeyHint keys="l" /> label <KeyHint keys="@" />{' '}
            assignee <KeyHint keys="x" /> close
          </span>
          <Button look="quiet" className="ml-auto" onClick={onClear}>
            Clear <KeyHint keys="Escape" />
          </Button>
        </>
      )}
    </div>
  )
}

const BAR = 'tint-accent flex min-h-8 items-center gap-3 border-b border-line px-3 text-xs text-ink-2'
