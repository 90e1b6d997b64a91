import { ChevronDown, ChevronRight, Wrench } from 'lucide-react'
import type { EventId } from '#domain/ids'
import { Link } from '../../../components/link'
import { AgentLine } from '../../../components/ui/agent-text'
import { ErrorLine } from '../../../components/ui/error-card'
import { AgentMarkdown } from '../../../components/ui/markdown'
import { Status } from '../../../components/ui/status'
import { visibleText } from '../../../lib/visible-text'
import { useOpen } from '../list/session-open'
import { useSession } from '../page/session-context'
import { HiddenSecrets } from '../secrets/hidden-secrets'
import { AgentBranch, type RenderRow } from './agent-branch'
import { ContentView } from './content-view'
import { RowFrame } from './row-frame'
import { callLine, toolTitle } from './session-calls'
import { openId, type Row } from './session-rows'
import { useContent } from './use-content'

interface CallRowProps {
  row: Row
  /** Event with its result, if it is loaded. */
  answer: EventId | null
  renderRow: RenderRow
}

/** A tool call: its description in one line; opened, its input. Below it the sub-agents that it launched. */
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
        {isOpen ? <HiddenSecrets id={row.event.id} texts={[JSON.stringify(content.data)]} /> : null}
        <ErrorLine error={content.error} />
        {row.continued.map(({ subagentId, run }) => (
          <p key={`${subagentId} ${run}`} className="pl-5 text-xs text-ink-2">
            Continued a sub-agent, run {run}:{' '}
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
  if (row.call.isError === true) return <Status status="failed" evidence="the tool returned an error" isSmall />
  // The outcome of an inherited call is shown in the original session.
  if (row.call.isAnswered || isAnswered || row.event.inherited) return <span className="sr-only">finished</span>
  if (isLive) return <Status status="running" evidence="no result yet" />
  return <Status status="lost" evidence="no result is recorded" />
}
