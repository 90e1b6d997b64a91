import { ChevronDown, CornerDownRight } from 'lucide-react'
import { AgentLine } from '../../../components/ui/agent-text'
import { ErrorLine } from '../../../components/ui/error-card'
import { Status } from '../../../components/ui/status'
import { bytesInWords } from '../../../lib/format'
import { visibleText } from '../../../lib/visible-text'
import { useOpen } from '../list/session-open'
import { HiddenSecrets } from '../secrets/hidden-secrets'
import { ContentView } from './content-view'
import { Clock } from './row-frame'
import { toolTitle } from './session-calls'
import { ANSWER_LINES, openId, type Row } from './session-rows'
import { beginningOf } from './session-texts'
import { useContent } from './use-content'
import { CodeText } from './whole-text'

interface AnswerRowProps {
  row: Row
  isJoined: boolean
  /** Description of its call; '' if it is unknown or directly above. */
  about: string
}

/** The result of a tool call: its first lines; opened together with its call, all of it. */
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
        <span className="sr-only">{isError ? 'Result, an error:' : 'Result:'}</span>
      </span>
      <div className={`min-w-0 flex-1 border-l pl-4 ${isError ? 'border-fail' : 'border-line'}`}>
        {isJoined ? null : (
          <p className="flex items-center gap-2 text-xs text-ink-3">
            <span className="shrink-0">result of {visibleText(toolTitle(row.call?.name ?? row.event.toolName))}</span>
            <AgentLine text={about} className="min-w-0 font-mono" />
            {isError ? <Status status="failed" evidence="the tool returned an error" isSmall /> : null}
          </p>
        )}
        {content.data !== undefined && (isOpen || hasPicture) ? (
          <ContentView content={content.data} />
        ) : (
          <CodeText text={beginning.text === '' ? '(empty)' : beginning.text} className="text-ink-2" />
        )}
        {isMore && !isOpen ? (
          <button
            type="button"
            onClick={toggle}
            aria-expanded={isOpen}
            className="inline-flex items-center gap-1 text-xs text-ink-3 hover:text-ink max-md:min-h-9"
          >
            <ChevronDown aria-hidden size={13} />
            Show all ({bytesInWords(row.bytes)})
          </button>
        ) : null}
        <HiddenSecrets id={row.event.id} texts={[text, isOpen ? JSON.stringify(content.data) : null]} />
        <ErrorLine error={content.error} />
      </div>
      <Clock at={row.event.at} className="max-md:hidden" />
    </div>
  )
}
