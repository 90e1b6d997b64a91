import { ChevronDown, ChevronRight, Paperclip } from 'lucide-react'
import type { ReactNode } from 'react'
import { attachmentLine } from '../../lib/attachment-line'
import { counted } from '../../lib/format'
import { useOpen } from '../../lib/session-open'
import { type Row, runId } from '../../lib/session-rows'
import { FoldedRow } from './folded-row'

const NAMES = { attachment: 'Attachment', system: 'Line of the CLI' } as const

/** What the CLI adds beside the conversation; several that follow one another are one line until it is opened. */
export function QuietRow({ row, runLength }: { row: Row; runLength: number }) {
  const name = row.kind === 'system' ? NAMES.system : NAMES.attachment
  const folded = <FoldedRow row={row} name={name} summary={attachmentLine(row.event.text ?? '')} icon={Paperclip} />
  return runLength <= 1 ? folded : <QuietRun row={row} folded={folded} runLength={runLength} />
}

function QuietRun({ row, folded, runLength }: { row: Row; folded: ReactNode; runLength: number }) {
  const [isOpen, toggle] = useOpen(runId(row))
  const Arrow = isOpen ? ChevronDown : ChevronRight
  return (
    <>
      <div className="flex px-4 max-md:px-3">
        <button
          type="button"
          onClick={toggle}
          aria-expanded={isOpen}
          className="flex h-6 items-center gap-1.5 pl-6.5 text-xs text-ink-3 hover:text-ink max-md:h-9 max-md:pl-6"
        >
          <Arrow aria-hidden size={13} />
          {counted(runLength, 'line that the CLI added', 'lines that the CLI added')}
        </button>
      </div>
      {isOpen ? folded : null}
    </>
  )
}
