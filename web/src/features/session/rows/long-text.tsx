import { ChevronDown, ChevronUp } from 'lucide-react'
import { AgentText } from '../../../components/ui/agent-text'
import { ErrorLine } from '../../../components/ui/error-card'
import { AgentMarkdown } from '../../../components/ui/markdown'
import { bytesInWords } from '../../../lib/format'
import { useOpen } from '../list/session-open'
import { HiddenSecrets } from '../secrets/hidden-secrets'
import { ContentView } from './content-view'
import { openId, type Row, SHOWN_LINES } from './session-rows'
import { beginningOf, closeFences } from './session-texts'
import { useContent } from './use-content'

interface LongTextProps {
  row: Row
  isMarkdown?: boolean
  lines?: number
}

/** A text of the conversation: its beginning; opened, all of it. */
export function LongText({ row, isMarkdown = false, lines = SHOWN_LINES }: LongTextProps) {
  const [isOpen, toggle] = useOpen(openId(row))
  const text = row.event.text ?? ''
  const beginning = beginningOf(text, lines)
  const isLong = beginning.isCut || row.event.isCut
  const hasPicture = PICTURE_MARK.test(text)
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
      {isOpen && content.isFetching ? <span className="pl-2 text-xs text-ink-3">Loading …</span> : null}
      <HiddenSecrets id={row.event.id} texts={[text, isWhole ? JSON.stringify(content.data) : null]} />
      <ErrorLine error={content.error} />
    </div>
  )
}

/** Marks a picture in the preview of a line. */
const PICTURE_MARK = /^\[image\]$/m
