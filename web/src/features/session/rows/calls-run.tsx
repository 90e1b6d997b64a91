import { ChevronDown, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Took } from '../../../components/ui/when'
import { visibleText } from '../../../lib/visible-text'
import { useOpen } from '../list/session-open'
import { type Row, runId } from './session-rows'

interface CallsRunProps {
  row: Row
  /** What the calls did; '' = the row stands for itself. */
  words: string
  /** When the last of them was answered. */
  until: string | null
  /** The first call. */
  children: ReactNode
}

/** Calls that only looked at something, folded into one line with what they did and how long it took. */
export function CallsRun({ row, words, until, children }: CallsRunProps) {
  const [isOpen, toggle] = useOpen(words === '' ? '' : runId(row))
  if (words === '') return children
  const Arrow = isOpen ? ChevronDown : ChevronRight
  const { at } = row.event
  return (
    <>
      <div className="flex px-4 max-md:px-3">
        <button
          type="button"
          onClick={toggle}
          aria-expanded={isOpen}
          className="flex h-6 min-w-0 items-center gap-1.5 pl-6.5 text-xs text-ink-3 hover:text-ink max-md:h-9 max-md:pl-6"
        >
          <Arrow aria-hidden size={13} className="shrink-0" />
          <span className="truncate">{visibleText(words)}</span>
          {at === null || until === null ? null : <Took from={at} to={until} className="shrink-0" />}
        </button>
      </div>
      {isOpen ? children : null}
    </>
  )
}
