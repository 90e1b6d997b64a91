import { useQuery } from '@tanstack/react-query'
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import type { Answers } from '#api/contract/operations/index'
import type { SearchHit } from '#api/contract/wire'
import { callWords } from '#domain/session/call-parts'
import { Link } from '../../components/link'
import { AgentLine } from '../../components/ui/agent-text'
import { CliName } from '../../components/ui/cli-name'
import { Loading } from '../../components/ui/empty'
import { ErrorLine } from '../../components/ui/error-card'
import { When } from '../../components/ui/when'
import { client } from '../../lib/api'
import { keptChoice } from '../../lib/kept-choice'
import { visibleText } from '../../lib/visible-text'
import { formsPattern } from '../session/list/found-marks'
import { snippetParts } from '../session/rows/session-texts'
import { EVENT_WORDS, hitPath, Marked } from './hit-row'
import { markedParts } from './marked-parts'

type SessionRow = Answers['sessions']['rows']['rows'][number]

/** Whether the conversation of the current result is shown beside the list. */
export const previewChoice = keptChoice('lodeline.search.preview', ['on', 'off'])

/** The cursor rests this long on a result before its conversation is read. Milliseconds. */
const CURSOR_RESTS_MS = 120
/** Lines that are read, the result in their middle. */
const ROWS = 24
/** Characters that are shown of the result's own line, and of each other one. */
const OWN_CHARACTERS = 2_000
const OTHER_CHARACTERS = 400

interface HitPreviewProps {
  hit: SearchHit
  q: string
  /** The words as they stand in the results, in lower case. */
  forms: readonly string[]
}

/** The conversation around a result: who said what before and after it, with the words marked. */
export function HitPreview({ hit, q, forms }: HitPreviewProps) {
  const shown = useRested(hit)
  const { event, node } = shown
  const subagentId = event.subagentId ?? node.subagentId
  const { data, error } = useQuery({
    queryKey: ['rows', event.sessionId, 'around', event.id, subagentId],
    queryFn: ({ signal }) =>
      client.sessions.rows(
        event.sessionId,
        { around: event.id, limit: ROWS, ...(subagentId !== null && { subagentId }) },
        { signal },
      ),
  })
  const lines = (data?.rows ?? []).filter((row) => row.event.id === event.id || isSaid(row))
  const pattern = useMemo(() => formsPattern(forms), [forms])
  return (
    <section
      aria-label="Conversation around the result"
      data-testid="hit-preview"
      className="flex min-h-0 flex-1 flex-col overflow-hidden rounded-lg border border-line bg-panel"
    >
      <header className="flex min-h-9 items-baseline gap-x-2 border-b border-line px-3 py-1.5 text-xs">
        <h2 className="min-w-0 flex-1 text-sm font-semibold">
          <AgentLine text={shown.sessionTitle ?? event.sessionId} />
        </h2>
        {subagentId === null ? null : (
          <span className="max-w-40 text-ink-3">
            <AgentLine text={node.description ?? node.type ?? 'sub-agent'} />
          </span>
        )}
        <CliName name={shown.agent} />
        <Link to={hitPath(shown, q)} className="text-accent underline">
          Open
        </Link>
      </header>
      {data === undefined ? (
        error === null ? (
          <Loading what="Reading the conversation" />
        ) : (
          <ErrorLine error={error} />
        )
      ) : (
        <Lines key={event.id} lines={lines} hit={shown} pattern={pattern} />
      )}
    </section>
  )
}

function Lines({ lines, hit, pattern }: { lines: readonly SessionRow[]; hit: SearchHit; pattern: RegExp | null }) {
  const own = useRef<HTMLLIElement>(null)
  const scroller = useRef<HTMLOListElement>(null)
  useEffect(() => {
    const [line, list] = [own.current, scroller.current]
    // Not `scrollIntoView`, which scrolls the page as well.
    if (line !== null && list !== null)
      list.scrollTop = line.offsetTop - Math.max(0, (list.clientHeight - line.clientHeight) / 2)
  }, [])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keys
    <ol ref={scroller} tabIndex={0} aria-label="Lines" className="relative min-h-0 flex-1 overflow-y-auto text-sm">
      {lines.map((row) => (
        <PreviewLine
          key={row.event.id}
          row={row}
          hit={row.event.id === hit.event.id ? hit : null}
          line={row.event.id === hit.event.id ? own : null}
          pattern={pattern}
        />
      ))}
    </ol>
  )
}

interface PreviewLineProps {
  row: SessionRow
  /** If it is the line that was found. */
  hit: SearchHit | null
  line: RefObject<HTMLLIElement | null> | null
  pattern: RegExp | null
}

function PreviewLine({ row: { event, call }, hit, line, pattern }: PreviewLineProps) {
  const isHit = hit !== null
  const text = event.type === 'tool_call' ? callWords(event.text ?? '', event.toolName) : (event.text ?? '')
  const length = isHit ? OWN_CHARACTERS : OTHER_CHARACTERS
  const parts = markedParts(text.slice(0, length).toWellFormed(), pattern)
  const name = event.toolName ?? call?.name ?? null
  // The record keeps the beginning of a long text only; the search found the words behind it.
  const isBehind = isHit && !parts.some(({ isMatch }) => isMatch)
  return (
    <li
      ref={line}
      aria-current={isHit ? 'true' : undefined}
      className={`border-b border-line px-3 py-1.5 last:border-b-0 ${isHit ? 'row-current' : ''}`}
    >
      <div className="flex gap-x-2 text-2xs text-ink-3">
        <span className="font-medium">{EVENT_WORDS[event.type]}</span>
        {name === null || text.startsWith(name) ? null : <span className="truncate">{visibleText(name)}</span>}
        <span className="ml-auto shrink-0">
          <When at={event.at} />
        </span>
      </div>
      <p dir="auto" className={`wrap-anywhere whitespace-pre-wrap ${isHit ? '' : 'line-clamp-6 text-ink-2'}`}>
        <Marked parts={isBehind ? snippetParts(hit.snippet) : parts} />
        {!isBehind && text.length > length ? '…' : ''}
      </p>
    </li>
  )
}

/** Somebody said it, or a tool did: no context or notes that the CLI adds. */
const isSaid = ({ event: { type, text } }: SessionRow): boolean =>
  type !== 'attachment' && type !== 'system' && text !== null && text.trim() !== ''

/** The hit on which the cursor rests. */
function useRested(hit: SearchHit): SearchHit {
  const [shown, setShown] = useState(hit)
  useEffect(() => {
    const timer = setTimeout(() => setShown(hit), CURSOR_RESTS_MS)
    return () => clearTimeout(timer)
  }, [hit])
  return shown
}
