import { useMemo, useState } from 'react'
import { Button } from '../../../components/ui/button'
import { KeyHint } from '../../../components/ui/key-hint'
import { counted } from '../../../lib/format'
import type { IssueAct } from '../use-issue-dialogs'

/** Issues that are selected, which changes then apply to together. */
export interface IssueSelection {
  ids: ReadonlySet<string>
  toggle(id: string): void
  add(...ids: string[]): void
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
      add: (...more) => put(new Set([...ids, ...more])),
      clear: () => put(NOTHING),
    }
  }, [list, ids])
}

const ACTS: readonly (readonly [act: IssueAct, keys: string, name: string])[] = [
  ['priority', 'p', 'Priority'],
  ['status', 's', 'Status'],
  ['label', 'l', 'Label'],
  ['assignee', '@', 'Assignee'],
  ['close', 'x', 'Close'],
]

interface SelectionBarProps {
  size: number
  onAct(act: IssueAct): void
  onClear(): void
}

/** How many issues are selected, and what can be done with them. */
export function SelectionBar({ size, onAct, onClear }: SelectionBarProps) {
  return (
    <div role="status" data-testid="selection-bar" className={size === 0 ? 'sr-only' : BAR}>
      {size === 0 ? null : (
        <>
          <span className="font-medium text-ink">{counted(size, 'issue')} selected</span>
          <span className="flex flex-wrap items-center gap-0.5 max-md:order-last max-md:-mx-2.5 max-md:basis-full">
            {ACTS.map(([act, keys, name]) => (
              <Button
                key={act}
                act={act === 'close' ? 'issues.close' : 'issues.update'}
                look="quiet"
                onClick={() => onAct(act)}
              >
                {name} <KeyHint keys={keys} />
              </Button>
            ))}
          </span>
          <Button look="quiet" className="ml-auto" onClick={onClear}>
            Clear <KeyHint keys="Escape" />
          </Button>
        </>
      )}
    </div>
  )
}

const BAR = 'tint-accent flex min-h-8 flex-wrap items-center gap-x-3 border-b border-line px-3 text-xs text-ink-2'
