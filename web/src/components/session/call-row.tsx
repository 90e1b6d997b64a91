import { ChevronDown, ChevronRight, Wrench } from 'lucide-react'
import type { EventId } from '../../../../src/domain/ids'
import { callLine, toolTitle } from '../../lib/session-calls'
import { useOpen } from '../../lib/session-open'
import { openId, type Row } from '../../lib/session-rows'
import { visibleText } from '../../lib/visible-text'
import { Link } from '../link'
import { AgentLine } from '../ui/agent-text'
import { ErrorLine } from '../ui/error-card'
import { AgentMarkdown } from '../ui/markdown'
import { Status } from '../ui/status'
import { AgentBranch, type RenderRow } from './agent-branch'
import { ContentView } from './content-view'
import { RowFrame } from './row-frame'
import { useSession } from './session-context'
import { useContent } from './use-content'

interface CallRowProps {
  row: Row
  /** The line that answers it, where it is here. */
  answer: EventId | null
  renderRow: RenderRow
}

/** A call of a tool: what it is about in a line, opened its whole input; below it the agents that it set to work. */
export function CallRow({ row, answer, renderRow }: CallRowProps) {
  const { pathTo } = useSession()
  const [isOpen, toggle] = useOpen(openId(row))
  const name = row.call?.name ?? row.event.toolName
  const { words, about } = callLine(row.event.text, name)
  const content = useContent(row.event.id, isOpen)
  const answered = useContent(answer, isOpen)
  const Arrow = isOpen ? ChevronDown : ChevronRight
  return (
    <>
      <RowFrame name="Call" icon={Wrench} at={row.event.at} isPressed={words === ''}>
        {words === '' ? null : (
          <div className="pb-1">
            <AgentMarkdown text={words} />
          </div>
        )}
        <button
          type="button"
          onClick={toggle}
          aria-expanded={isOpen}
          className="flex w-full min-w-0 items-center gap-1.5 rounded-sm text-left hover:bg-hover max-md:min-h-9"
        >
          <Arrow aria-hidden size={13} className="shrink-0 text-ink-3" />
          <span className="max-w-1/2 shrink-0 truncate text-xs font-semibold">{visibleText(toolTitle(name))}</span>
          <AgentLine text={about} className="min-w-0 flex-1 font-mono text-xs text-ink-2" />
          <CallState row={row} isAnswered={answer !== null} />
        </button>
        {isOpen && content.data !== undefined ? (
          <div className="py-1 pl-5">
            <ContentView
              content={content.data}
              isPatchBelow={answered.isLoading || answered.data?.blocks.some(({ kind }) => kind === 'patch')}
            />
          </div>
        ) : null}
        <ErrorLine error={content.error} />
        {row.continued.map(({ subagentId, run }) => (
          <p key={`${subagentId} ${run}`} className="pl-5 text-xs text-ink-2">
            Set an agent to work again, run {run}:{' '}
            <Link to={pathTo({ agent: subagentId, at: null })} className="text-accent underline">
              {visibleText(subagentId)}
            </Link>
          </p>
        ))}
      </RowFrame>
      {row.launched.map((agent) => (
        <AgentBranch key={agent.id} agent={agent} renderRow={renderRow} />
      ))}
    </>
  )
}

function CallState({ row, isAnswered }: { row: Row; isAnswered: boolean }) {
  const { isLive } = useSession()
  if (row.call === null) return null
  if (row.call.isError === true) return <Status status="failed" evidence="the tool answered with an error" isSmall />
  // What became of a call that was copied from another session stands there.
  if (row.call.isAnswered || isAnswered || row.event.inherited) return <span className="sr-only">answered</span>
  if (isLive) return <Status status="running" evidence="no answer yet" />
  return <Status status="lost" evidence="no answer is recorded" />
}
