import { ArrowUpRight, Bot, ChevronDown, ChevronRight, Radio, SquareTerminal } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Subagent } from '#api/contract/wire'
import { Link } from '../../../components/link'
import { AgentLine } from '../../../components/ui/agent-text'
import { Button } from '../../../components/ui/button'
import { ErrorCard } from '../../../components/ui/error-card'
import { Status } from '../../../components/ui/status'
import { When } from '../../../components/ui/when'
import { counted, dollarsInWords, shortCount, tokensInWords, tokensOf, unknownTokens } from '../../../lib/format'
import { visibleText } from '../../../lib/visible-text'
import { useOpen } from '../list/session-open'
import { useFirstRows } from '../list/session-pages'
import { useSession } from '../page/session-context'
import { bookOf, isShown, type Row, type RowBook, runId } from './session-rows'

const KIND_ICONS = { agent: Bot, shell: SquareTerminal, monitor: Radio } as const

/** Renders a row of any kind. It is passed down because rows contain sub-agents, which contain rows. */
export type RenderRow = (row: Row, book: RowBook) => ReactNode

/** Tokens of a sub-agent; nothing for shells and monitors, which use no model. */
function AgentTokens({ agent: { kind, usage, reportedTokens, costUsd, isEstimate } }: { agent: Subagent }) {
  if (kind !== 'agent') return null
  if (usage === null)
    return (
      <span title="Its lines are not recorded. This is its last reported request, so it used at least this much.">
        {unknownTokens(reportedTokens)}
      </span>
    )
  if (tokensOf(usage) === 0) return null
  return (
    <span title={`${tokensInWords(usage)}, ${dollarsInWords(costUsd, isEstimate)}`}>
      {shortCount(tokensOf(usage))} tokens
    </span>
  )
}

/** A sub-agent or background shell below the call that launched it; expanded, its own conversation. */
export function AgentBranch({ agent, renderRow }: { agent: Subagent; renderRow: RenderRow }) {
  const { pathTo } = useSession()
  const [isOpen, toggle] = useOpen(`agent ${agent.id}`)
  const hasRows = agent.counts.events > 0
  const Icon = KIND_ICONS[agent.kind]
  const Arrow = isOpen ? ChevronDown : ChevronRight
  return (
    <section
      aria-label={`${agent.kind === 'agent' ? 'Sub-agent' : 'Background work'} ${visibleText(agent.description ?? agent.id)}`}
      className="mx-4 mt-0.5 mb-1.5 ml-10.5 rounded border border-line bg-panel max-md:mr-3 max-md:ml-6"
    >
      <header className="flex min-h-8 flex-wrap items-center gap-x-2 px-2 text-xs">
        <button
          type="button"
          onClick={toggle}
          aria-expanded={isOpen}
          disabled={!hasRows}
          className="flex min-w-0 flex-1 basis-60 items-center gap-1.5 self-stretch text-left hover:text-accent disabled:hover:text-ink max-md:min-h-9"
        >
          {hasRows ? <Arrow aria-hidden size={13} className="shrink-0 text-ink-3" /> : null}
          <Icon aria-hidden size={14} className="shrink-0 text-ink-3" />
          <span className="shrink-0 font-medium">{visibleText(agent.type ?? agent.kind)}</span>
          <AgentLine text={agent.description ?? ''} className="min-w-0 text-ink-2" />
        </button>
        <span className="flex items-center gap-2.5 text-ink-3">
          {agent.background ? <span>background</span> : null}
          <AgentTokens agent={agent} />
          <When at={agent.endedAt ?? agent.lastEventAt ?? agent.startedAt} />
          <Status status={agent.status} evidence={agent.statusEvidence} />
          {hasRows ? (
            <Link
              to={pathTo({ agent: agent.id, at: null })}
              aria-label={`Open all lines of ${visibleText(agent.description ?? agent.id)}`}
              title="Open all lines"
              className="inline-flex size-6 items-center justify-center rounded hover:bg-hover max-md:size-9"
            >
              <ArrowUpRight aria-hidden size={14} />
            </Link>
          ) : null}
        </span>
      </header>
      {isOpen && hasRows ? <BranchRows agent={agent} renderRow={renderRow} /> : null}
      {!isOpen && agent.resultPreview !== null && agent.background ? (
        <div className="border-t border-line px-2 py-1 text-xs text-ink-2">
          <AgentLine text={agent.resultPreview} />
        </div>
      ) : null}
    </section>
  )
}

/** Rows shown at first, and added by each click. */
const FIRST_ROWS = 50
/** Rows shown at most; the sub-agent's own page has the others. */
const MAX_ROWS = 200

function BranchRows({ agent, renderRow }: { agent: Subagent; renderRow: RenderRow }) {
  const { id, pathTo } = useSession()
  const [limit, setLimit] = useState(FIRST_ROWS)
  const { data, error, refetch } = useFirstRows({ sessionId: id, agent: agent.id }, limit)
  if (data === undefined)
    return error === null ? (
      <p className="border-t border-line px-3 py-2 text-xs text-ink-3">Loading …</p>
    ) : (
      <ErrorCard error={error} onRetry={() => void refetch()} />
    )
  const book = bookOf([data], data.total)
  const left = data.total - data.rows.length
  return (
    <div className="border-t border-line py-1">
      {data.rows.map((row) => (
        <NestedRow key={row.event.id} book={book} number={row.number} renderRow={renderRow} />
      ))}
      {left > 0 ? (
        <p className="flex flex-wrap items-center gap-2 px-4 py-1 text-xs text-ink-3">
          {counted(left, 'more line')}
          {limit < MAX_ROWS ? (
            <Button look="quiet" onClick={() => setLimit(limit + FIRST_ROWS)}>
              Show {Math.min(left, FIRST_ROWS)} more
            </Button>
          ) : null}
          <Link to={pathTo({ agent: agent.id, at: null })} className="text-accent underline">
            Open all lines
          </Link>
        </p>
      ) : null}
    </div>
  )
}

function NestedRow({ book, number, renderRow }: { book: RowBook; number: number; renderRow: RenderRow }) {
  const head = book.rows.get(book.headOf.get(number) ?? -1)
  const [isRunOpen] = useOpen(head === undefined ? '' : runId(head))
  const row = book.rows.get(number)
  if (row === undefined || !isShown(book, number, () => isRunOpen)) return null
  return renderRow(row, book)
}
