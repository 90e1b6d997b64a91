import { GitBranch } from 'lucide-react'
import type { CSSProperties, ReactNode, Ref } from 'react'
import type { Session } from '#api/contract/wire'
import { plainWords } from '#domain/plain-words'
import type { SessionSort } from '#domain/session/session-list'
import { Link } from '../../components/link'
import { AgentLine } from '../../components/ui/agent-text'
import { CliName } from '../../components/ui/cli-name'
import { Money } from '../../components/ui/money'
import { SessionLength } from '../../components/ui/session-length'
import { Status } from '../../components/ui/status'
import { When } from '../../components/ui/when'
import { shortCount, tokensOf } from '../../lib/format'
import { sessionPath } from '../../lib/links'
import { visibleText } from '../../lib/visible-text'
import { folderName } from '../task/task-words'

/** Grid columns on a wide page, and all of them on a very wide one; on narrower ones a row has several lines. */
const GRID =
  'xl:grid xl:grid-cols-[6.5rem_minmax(0,1fr)_8rem_3.5rem_4rem_4.5rem_5.5rem] 2xl:grid-cols-[6.5rem_minmax(0,1fr)_8rem_3.5rem_3.25rem_3.75rem_4rem_4.25rem_4.5rem_5.5rem] xl:items-center xl:gap-x-3'
/** A column for which a wide page has no room beside the title. */
const VERY_WIDE = 'xl:max-2xl:hidden'
const VERY_WIDE_ONLY: ReadonlySet<SessionSort> = new Set<SessionSort>(['files', 'events', 'length'])

/** Columns of numbers, with what they are sorted by. */
const NUMBERS: readonly (readonly [SessionSort, string])[] = [
  ['errors', 'Errors'],
  ['files', 'Files'],
  ['events', 'Events'],
  ['tokens', 'Tokens'],
  ['length', 'Duration'],
  ['cost', 'Cost'],
  ['active', 'Active'],
]

interface SessionRowProps {
  session: Session
  index: number
  isDense: boolean
  isCurrent: boolean
  rowRef: Ref<HTMLDivElement>
  style: CSSProperties
  onFocus(): void
}

/** A session in the list: one line, or two with its last words. */
export function SessionRow({ session, index, isDense, isCurrent, rowRef, style, onFocus }: SessionRowProps) {
  const { counts, lastWords, gitBranch, startedAt, lastEventAt } = session
  const place = session.project ?? session.cwd
  return (
    <div
      ref={rowRef}
      role="row"
      tabIndex={isCurrent ? 0 : -1}
      aria-rowindex={index + 2}
      data-index={index}
      data-testid="listed-session"
      onFocus={onFocus}
      style={style}
      className={`${GRID} relative flex flex-wrap items-center gap-x-2 gap-y-0.5 border-b border-line px-3 text-sm hover:bg-hover focus-visible:outline-offset-[-2px] max-xl:py-1.5 ${isDense ? 'min-h-8' : 'min-h-12'} ${isCurrent ? 'row-current' : ''}`}
    >
      <div role="gridcell" className="min-w-0 overflow-hidden">
        <Status status={session.status} evidence={session.statusEvidence} />
      </div>
      <div role="gridcell" className="min-w-0 max-xl:order-first max-xl:w-full">
        <Link
          to={sessionPath(session.id)}
          tabIndex={-1}
          className="block min-w-0 font-medium after:absolute after:inset-0"
        >
          <AgentLine text={session.title ?? `Session ${session.id.slice(0, 8)}`} />
        </Link>
        {isDense || lastWords === null ? null : (
          <div className="min-w-0 text-xs text-ink-3">
            <AgentLine text={plainWords(lastWords)} />
          </div>
        )}
      </div>
      <div
        role="gridcell"
        className="min-w-0 text-xs text-ink-2 max-xl:flex max-xl:gap-2"
        title={visibleText(place ?? '')}
      >
        <div className="truncate">{place === null ? null : visibleText(folderName(place))}</div>
        {isDense ? null : (
          <div className="flex min-w-0 items-center gap-1 text-2xs text-ink-3">
            <CliName name={session.agent} />
            {gitBranch === null ? null : (
              <>
                <GitBranch aria-hidden size={10} className="shrink-0" />
                <span className="sr-only">branch</span>
                <span className="truncate">{visibleText(gitBranch)}</span>
              </>
            )}
          </div>
        )}
      </div>
      <Figure name={counts.errors === 1 ? 'error' : 'errors'} isNone={counts.errors === 0} tone="text-fail">
        {counts.errors}
      </Figure>
      <Figure
        name={counts.filesChanged === 1 ? 'file' : 'files'}
        isNone={counts.filesChanged === 0}
        className={VERY_WIDE}
      >
        {counts.filesChanged}
      </Figure>
      <Figure name={counts.events === 1 ? 'event' : 'events'} isNone={false} className={`max-xl:hidden ${VERY_WIDE}`}>
        {shortCount(counts.events)}
      </Figure>
      <Figure name="tokens" isNone={false}>
        {shortCount(tokensOf(session.usage))}
      </Figure>
      <Figure name={null} isNone={startedAt === null} className={VERY_WIDE}>
        <SessionLength session={session} isShort />
      </Figure>
      <Figure name={null} isNone={false}>
        <Money cost={session} />
      </Figure>
      <Figure name={null} isNone={false} className="text-ink-3 max-xl:ml-auto">
        <When at={lastEventAt} />
      </Figure>
    </div>
  )
}

interface FigureProps {
  /** Said behind the number where no column says it; `null` = the value says it. */
  name: string | null
  /** There is nothing to show. A narrow page leaves it out. */
  isNone: boolean
  tone?: string
  className?: string
  children: ReactNode
}

function Figure({ name, isNone, tone = 'text-ink-2', className = '', children }: FigureProps) {
  return (
    <div
      role="gridcell"
      className={`whitespace-nowrap text-right text-xs ${isNone ? 'text-ink-3 max-xl:hidden' : tone} ${className}`}
    >
      {children}
      {name === null ? null : <span className="xl:sr-only"> {name}</span>}
    </div>
  )
}

interface SessionColumnsProps {
  sort: SessionSort
  isAscending: boolean
  onSort(by: SessionSort): void
}

/** The header of the list. A column that can be sorted by is a button. */
export function SessionColumns({ sort, isAscending, onSort }: SessionColumnsProps) {
  return (
    <div
      role="row"
      aria-rowindex={1}
      className={`${GRID} h-7 shrink-0 border-b border-line px-3 text-2xs font-medium text-ink-3 max-xl:hidden`}
    >
      {['Status', 'Title', 'Project'].map((name) => (
        <div key={name} role="columnheader">
          {name}
        </div>
      ))}
      {NUMBERS.map(([by, name]) => (
        <div
          key={by}
          role="columnheader"
          aria-sort={by === sort ? (isAscending ? 'ascending' : 'descending') : 'none'}
          className={`text-right ${VERY_WIDE_ONLY.has(by) ? VERY_WIDE : ''}`}
        >
          <button
            type="button"
            onClick={() => onSort(by)}
            className={`h-6 hover:text-ink hover:underline ${by === sort ? 'font-semibold text-ink' : ''}`}
          >
            {name}
            {by === sort ? <span aria-hidden>{isAscending ? ' ↑' : ' ↓'}</span> : null}
          </button>
        </div>
      ))}
    </div>
  )
}
