import type { ReactNode, RefObject } from 'react'
import type { SearchHit } from '#api/contract/wire'
import { Link } from '../../components/link'
import { AgentLine } from '../../components/ui/agent-text'
import { CliName } from '../../components/ui/cli-name'
import { IdChip } from '../../components/ui/id-chip'
import { When } from '../../components/ui/when'
import { sessionPath } from '../../lib/links'
import { visibleText } from '../../lib/visible-text'
import { writeSessionSearch } from '../session/page/session-search'
import { snippetParts } from '../session/rows/session-texts'

/** Path of a line in its conversation, where the words of the query are marked. */
export const hitPath = ({ event, node }: SearchHit, q: string): string =>
  sessionPath(event.sessionId) +
  writeSessionSearch({
    at: event.id,
    agent: event.subagentId ?? node.subagentId,
    view: 'conversation',
    find: q,
    t: null,
    only: null,
  })

/** Names of event types. */
export const EVENT_WORDS: Readonly<Record<SearchHit['event']['type'], string>> = {
  prompt: 'prompt',
  text: 'answer',
  thinking: 'thinking',
  tool_call: 'call',
  tool_result: 'output',
  notice: 'notice',
  compaction: 'compaction',
  summary: 'summary',
  error: 'error',
  system: 'system',
  attachment: 'attachment',
}

interface FoundRowProps {
  kind: string
  isCurrent: boolean
  row: RefObject<HTMLElement | null> | null
  onFocus(): void
  children: ReactNode
}

/** A search result with its part in keyboard navigation. */
export function FoundRow({ kind, isCurrent, row, onFocus, children }: FoundRowProps) {
  return (
    <li
      ref={row as RefObject<HTMLLIElement | null>}
      tabIndex={isCurrent ? 0 : -1}
      onFocus={onFocus}
      data-testid="search-hit"
      data-found={kind}
      aria-current={isCurrent ? 'true' : undefined}
      className={`relative border-b border-line px-3 py-1.5 last:border-b-0 focus-visible:outline-offset-[-2px] ${isCurrent ? 'row-current' : 'hover:bg-hover'}`}
    >
      {children}
    </li>
  )
}

/** A line of a conversation: its place, and the text around the match. */
export function HitLine({ hit, path }: { hit: SearchHit; path: string }) {
  const { event, node } = hit
  const whose = node.subagentId === null ? null : (node.description ?? node.type ?? 'sub-agent')
  return (
    <>
      <div className="flex min-w-0 flex-wrap items-baseline gap-x-2 text-xs text-ink-3">
        <span className="shrink-0 font-medium text-ink-2">
          {EVENT_WORDS[event.type]}
          {/* A call's own words begin with its tool. */}
          {event.toolName === null || event.type === 'tool_call' ? null : <> {visibleText(event.toolName)}</>}
        </span>
        {whose === null ? null : (
          <span className="max-w-44">
            <AgentLine text={whose} />
          </span>
        )}
        <Link to={path} tabIndex={-1} className="ml-auto text-ink-3 after:absolute after:inset-0">
          <When at={event.at} />
        </Link>
      </div>
      <p dir="auto" className="line-clamp-3 text-sm">
        <Marked parts={snippetParts(hit.snippet)} />
      </p>
    </>
  )
}

/** A text with its matches marked. */
export const Marked = ({ parts }: { parts: readonly { text: string; isMatch: boolean }[] }) =>
  parts.map(({ text, isMatch }, at) =>
    isMatch ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no other name
      <mark key={at} className="rounded-sm bg-transparent font-semibold text-ink tint-need">
        {text}
      </mark>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the same
      <span key={at}>{text}</span>
    ),
  )

/** The session that the hits below it are of. */
export function HitSession({ hit: { event, agent, sessionTitle } }: { hit: SearchHit }) {
  return (
    <div data-testid="search-session" className="flex min-w-0 items-baseline gap-x-2 text-xs">
      <Link to={sessionPath(event.sessionId)} className="min-w-0 flex-1 font-medium text-ink-2 hover:underline">
        <AgentLine text={sessionTitle ?? event.sessionId} />
      </Link>
      <CliName name={agent} />
      <span className="max-md:hidden">
        <IdChip id={event.sessionId} />
      </span>
    </div>
  )
}
