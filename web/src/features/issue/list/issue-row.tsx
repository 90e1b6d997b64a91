import { MessageSquare, Square, SquareCheck } from 'lucide-react'
import type { CSSProperties, MouseEvent, ReactNode, Ref } from 'react'
import { Link } from '../../../components/link'
import { AgentLine } from '../../../components/ui/agent-text'
import { IdChip } from '../../../components/ui/id-chip'
import { Status } from '../../../components/ui/status'
import { When } from '../../../components/ui/when'
import { isOver, type ListedIssue } from '../issue-query'
import { rememberOpened } from '../last-opened'
import { LabelMarks, PriorityMark, TypeMark } from '../marks'
import { WorkMark } from '../page/work-mark'

/** Grid columns on a wide page; the header shares them. Beside the current issue there is no room for who works on each. */
export const ISSUE_COLUMN_CLASSES =
  'rows:grid-cols-[1.75rem_2rem_7.5rem_1.25rem_minmax(0,1fr)_8.5rem_5.5rem] rows:group-data-peek/issues:grid-cols-[1.75rem_2rem_7.5rem_1.25rem_minmax(0,1fr)_5.5rem]'
/** Columns without room beside the current issue. */
export const NOT_BESIDE_CLASSES = 'rows:group-data-peek/issues:hidden'

/** What a press on a row does: it makes it the current one, and selects it or all up to it. */
export type Pointed = 'only' | 'toggle' | 'range'

/** Characters of an ID that fit into its column. */
const ID_CHARACTERS = 16

interface IssueRowProps {
  issue: ListedIssue
  note: ReactNode
  to: string
  /** Row number for assistive technology, from 1. */
  index: number
  isCurrent: boolean
  isSelected: boolean
  onPoint(how: Pointed): void
  style: CSSProperties
  ref: Ref<HTMLDivElement>
}

/** An issue in a list. */
export function IssueRow({ issue, note, to, index, isCurrent, isSelected, onPoint, style, ref }: IssueRowProps) {
  const onClick = (event: MouseEvent<HTMLElement>) => {
    // With these keys a browser opens a link in another tab.
    const isLink = event.target instanceof HTMLElement && event.target.closest('a') !== null
    if (isLink) onPoint('only')
    else if (event.shiftKey) onPoint('range')
    else onPoint(event.metaKey || event.ctrlKey ? 'toggle' : 'only')
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: j and k move the cursor; the title is the link
    <div
      ref={ref}
      role="row"
      aria-rowindex={index}
      aria-current={isCurrent ? 'true' : undefined}
      aria-selected={isSelected}
      tabIndex={isCurrent ? 0 : -1}
      data-testid="issue-row"
      data-issue={issue.id}
      onClick={onClick}
      // A range of rows is meant, not of their letters.
      onMouseDown={(event) => event.shiftKey && event.preventDefault()}
      style={style}
      className={`absolute inset-x-0 top-0 border-b border-line pr-3 pl-2 -outline-offset-2 ${isCurrent ? 'row-current' : 'hover:bg-hover'}`}
    >
      <div
        className={`grid h-7.5 items-center gap-x-2 max-rows:h-14 max-rows:grid-cols-[1.75rem_2rem_minmax(0,1fr)_auto] max-rows:grid-rows-2 max-rows:gap-y-0 max-rows:py-1 ${ISSUE_COLUMN_CLASSES}`}
      >
        <span role="gridcell" className="group/pick flex max-rows:row-span-2 max-rows:self-stretch">
          <button
            type="button"
            // Space selects by keys.
            tabIndex={-1}
            aria-pressed={isSelected}
            aria-label={`Select ${issue.id}`}
            onClick={(event) => {
              event.stopPropagation()
              onPoint(event.shiftKey ? 'range' : 'toggle')
            }}
            className="relative flex size-7 items-center justify-center rounded-sm max-rows:h-full"
          >
            {isSelected ? (
              <SquareCheck aria-hidden size={14} className="text-accent" />
            ) : (
              <Square aria-hidden size={14} className="hidden text-ink-3 group-hover/pick:block" />
            )}
            <span className={isSelected ? 'sr-only' : 'flex group-hover/pick:sr-only'}>
              {issue.isBlocked && issue.status === 'open' ? (
                <Status status="blocked" evidence="open, but blocked by another issue" isSmall />
              ) : (
                <Status status={issue.status} isSmall />
              )}
            </span>
          </button>
        </span>
        <span role="gridcell" className="max-rows:order-3 max-rows:col-start-2">
          <PriorityMark priority={issue.priority} />
        </span>
        <span role="gridcell" className="flex min-w-0 max-rows:order-4">
          <IdChip id={issue.id} room={ID_CHARACTERS} />
        </span>
        <span role="gridcell" className="flex max-rows:hidden">
          <TypeMark type={issue.issueType} isSmall />
        </span>
        <span
          role="gridcell"
          className="flex min-w-0 items-center gap-2 max-rows:order-1 max-rows:col-span-3 max-rows:col-start-2"
        >
          <Link
            to={to}
            tabIndex={-1}
            onClick={() => rememberOpened(issue.id)}
            className={`min-w-0 shrink text-sm ${isOver(issue) ? 'text-ink-3' : ''}`}
          >
            <AgentLine text={issue.title} />
          </Link>
          <span className="flex min-w-0 shrink-[3] basis-auto max-rows:hidden">
            <LabelMarks labels={issue.labels} />
          </span>
          {issue.commentCount > 0 ? (
            <span className="flex shrink-0 items-center gap-0.5 text-2xs text-ink-3 max-rows:hidden">
              <MessageSquare aria-hidden size={11} />
              {issue.commentCount}
              <span className="sr-only"> comments</span>
            </span>
          ) : null}
        </span>
        <span role="gridcell" className={`min-w-0 max-rows:hidden ${NOT_BESIDE_CLASSES}`}>
          <WorkMark issue={issue} />
        </span>
        <span
          role="gridcell"
          className="flex min-w-0 items-center gap-2 justify-self-end text-xs text-ink-3 max-rows:order-5"
        >
          <span className="min-w-0 max-w-28 rows:hidden">
            <WorkMark issue={issue} />
          </span>
          <When at={issue.updatedAt} />
        </span>
      </div>
      {note === undefined ? null : (
        <div
          role="gridcell"
          className="flex h-5 items-center gap-1 truncate pl-[13.25rem] text-xs max-rows:pl-7 text-ink-3"
        >
          {note}
        </div>
      )}
    </div>
  )
}
