import { ChevronDown, ChevronRight, Paperclip } from 'lucide-react'
import type { ReactNode } from 'react'
import { counted } from '../../../lib/format'
import { useOpen } from '../list/session-open'
import { attachmentLine } from './attachment-line'
import { FoldedRow } from './folded-row'
import { type Row, runId } from './session-rows'

/** Names of quiet rows. */
const QUIET_NAMES = { attachment: 'Attachment', system: 'CLI line' } as const

/** Lines that the CLI adds to the conversation. Several in a row are folded into one. */
export function QuietRow({ row, runLength }: { row: Row; runLength: number }) {
  const name = row.kind === 'system' ? QUIET_NAMES.system : QUIET_NAMES.attachment
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
          {counted(runLength, 'system entry', 'system entries')}
        </button>
      </div>
      {isOpen ? folded : null}
    </>
  )
}
