import { ChevronDown, ChevronUp } from 'lucide-react'
import { bytesInWords } from '../../lib/format'
import { useOpen } from '../../lib/session-open'
import { openId, type Row, SHOWN_LINES } from '../../lib/session-rows'
import { beginningOf, closeFences } from '../../lib/session-texts'
import { AgentText } from '../ui/agent-text'
import { ErrorLine } from '../ui/error-card'
import { AgentMarkdown } from '../ui/markdown'
import { ContentView } from './content-view'
import { useContent } from './use-content'

interface LongTextProps {
  row: Row
  isMarkdown?: boolean
  lines?: number
}

/** A text of the conversation: its beginning, and all of it once it is asked for. */
export function LongText({ row, isMarkdown = false, lines = SHOWN_LINES }: LongTextProps) {
  const [isOpen, toggle] = useOpen(openId(row))
  const text = row.event.text ?? ''
  const beginning = beginningOf(text, lines)
  const isLong = beginning.isCut || row.event.isCut
  const hasPicture = PICTURE.test(text)
  const content = useContent(row.event.id, (isOpen && row.event.isCut) || hasPicture)
  const isWhole = (isOpen || hasPicture) && content.data !== undefined
  const shown = isOpen ? text : beginning.text
  return (
    <div className="min-w-0">
      {isWhole && (isOpen || !beginning.isCut) ? (
        <ContentView content={content.data} isMarkdown={isMarkdown} />
      ) : isMarkdown ? (
        <AgentMarkdown text={isOpen ? shown : closeFences(shown)} />
      ) : (
        <AgentText text={shown} />
      )}
      {isLong ? (
        <button
          type="button"
          onClick={toggle}
          aria-expanded={isOpen}
          className="mt-0.5 inline-flex items-center gap-1 text-xs text-accent hover:underline max-md:min-h-9"
        >
          {isOpen ? <ChevronUp aria-hidden size={13} /> : <ChevronDown aria-hidden size={13} />}
          {isOpen ? 'Show less' : `Show all${row.event.isCut ? `, ${bytesInWords(row.bytes)}` : ''}`}
        </button>
      ) : null}
      {isOpen && content.isFetching ? <span className="pl-2 text-xs text-ink-3">loading …</span> : null}
      <ErrorLine error={content.error} />
    </div>
  )
}

/** How the preview of a line names a picture in it. */
const PICTURE = /^\[image\]$/m
