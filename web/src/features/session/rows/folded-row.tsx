import { Brain, ChevronDown, ChevronRight, type LucideIcon } from 'lucide-react'
import { AgentLine } from '../../../components/ui/agent-text'
import { ErrorLine } from '../../../components/ui/error-card'
import { useOpen } from '../list/session-open'
import { ContentView } from './content-view'
import { RowFrame } from './row-frame'
import { openId, type Row } from './session-rows'
import { useContent } from './use-content'
import { CodeText } from './whole-text'

interface FoldedRowProps {
  row: Row
  name: string
  /** Text while it is folded. Default: the text of the row. */
  summary?: string
  icon?: LucideIcon
}

/** A row of minor interest: one line until it is opened. */
export function FoldedRow({ row, name, summary = row.event.text ?? '', icon = Brain }: FoldedRowProps) {
  const [isOpen, toggle] = useOpen(openId(row))
  const content = useContent(row.event.id, isOpen && row.event.isCut)
  const Arrow = isOpen ? ChevronDown : ChevronRight
  return (
    <RowFrame name={name} icon={icon} at={row.event.at} isPressed>
      <button
        type="button"
        onClick={toggle}
        aria-expanded={isOpen}
        className="flex w-full min-w-0 items-center gap-1.5 text-left text-xs text-ink-3 hover:text-ink max-md:min-h-9"
      >
        <Arrow aria-hidden size={13} className="shrink-0" />
        <span className="shrink-0 font-medium">{name}</span>
        {isOpen ? null : <AgentLine text={summary} className="min-w-0 flex-1" />}
      </button>
      {isOpen ? (
        <div className="pt-1 pl-5 text-ink-2">
          {content.data === undefined ? (
            <CodeText text={row.event.text ?? ''} />
          ) : (
            <ContentView content={content.data} />
          )}
          <ErrorLine error={content.error} />
        </div>
      ) : null}
    </RowFrame>
  )
}
