import { ChevronDown, CornerDownRight } from 'lucide-react'
import { bytesInWords } from '../../lib/format'
import { toolTitle } from '../../lib/session-calls'
import { useOpen } from '../../lib/session-open'
import { ANSWER_LINES, openId, type Row } from '../../lib/session-rows'
import { beginningOf } from '../../lib/session-texts'
import { visibleText } from '../../lib/visible-text'
import { AgentLine } from '../ui/agent-text'
import { ErrorLine } from '../ui/error-card'
import { Status } from '../ui/status'
import { ContentView } from './content-view'
import { Clock } from './row-frame'
import { useContent } from './use-content'
import { CodeText } from './whole-text'

interface AnswerRowProps {
  row: Row
  isJoined: boolean
  /** What its call was about; '' = not known, or it stands right above. */
  about: string
}

/** What a tool answered: a few lines, opened together with its call to the whole. */
export function AnswerRow({ row, isJoined, about }: AnswerRowProps) {
  const [isOpen, toggle] = useOpen(openId(row))
  const text = row.event.text ?? ''
  const beginning = beginningOf(text, ANSWER_LINES)
  const isMore = beginning.isCut || row.event.isCut
  const hasPicture = /^\[image\]$/m.test(text)
  const content = useContent(row.event.id, isOpen || hasPicture)
  const isError = row.call?.isError === true
  return (
    <div className={`flex gap-2.5 px-4 pb-1 max-md:gap-2 max-md:px-3 ${isJoined ? '' : 'pt-1'}`}>
      <span className="flex h-5 w-4 shrink-0 items-center justify-end text-ink-3">
        {isJoined ? null : <CornerDownRight aria-hidden size={14} />}
        <span className="sr-only">{isError ? 'Answer, an error:' : 'Answer:'}</span>
      </span>
      <div className={`min-w-0 flex-1 border-l pl-4 ${isError ? 'border-fail' : 'border-line'}`}>
        {isJoined ? null : (
          <p className="flex items-center gap-2 text-xs text-ink-3">
            <span className="shrink-0">answer to {visibleText(toolTitle(row.call?.name ?? row.event.toolName))}</span>
            <AgentLine text={about} className="min-w-0 font-mono" />
            {isError ? <Status status="failed" evidence="the tool answered with an error" isSmall /> : null}
          </p>
        )}
        {content.data !== undefined && (isOpen || hasPicture) ? (
          <ContentView content={content.data} />
        ) : (
          <CodeText text={beginning.text === '' ? '(nothing)' : beginning.text} className="text-ink-2" />
        )}
        {isMore && !isOpen ? (
          <button
            type="button"
            onClick={toggle}
            aria-expanded={isOpen}
            className="inline-flex items-center gap-1 text-xs text-ink-3 hover:text-ink max-md:min-h-9"
          >
            <ChevronDown aria-hidden size={13} />
            all of it, {bytesInWords(row.bytes)}
          </button>
        ) : null}
        <ErrorLine error={content.error} />
      </div>
      <Clock at={row.event.at} className="max-md:hidden" />
    </div>
  )
}
