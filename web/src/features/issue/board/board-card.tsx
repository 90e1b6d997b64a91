import { ArrowRight, EllipsisVertical } from 'lucide-react'
import type { CSSProperties, DragEvent, Ref } from 'react'
import { Link } from '../../../components/link'
import { IconButton } from '../../../components/ui/button'
import { IdChip } from '../../../components/ui/id-chip'
import { Menu } from '../../../components/ui/menu'
import { Status, statusWord } from '../../../components/ui/status'
import { issuePathIn } from '../../../lib/links'
import { useMay } from '../../../lib/me'
import { visibleText } from '../../../lib/visible-text'
import type { ListedIssue } from '../issue-query'
import { LabelMarks, PriorityMark, TypeMark } from '../marks'
import { WorkMark } from '../page/work-mark'

/** Characters of an ID that fit into the narrowest column, beside all marks. */
const ID_CHARACTERS = 14

/** Height of a card, in rem, with two lines of its title. Narrow pages have a larger menu button. */
export const cardHeightRem = (issue: ListedIssue | undefined, isNarrow: boolean): number =>
  (isNarrow ? 5.75 : 4.875) + (issue !== undefined && hasFoot(issue) ? 1.25 : 0)

/** Whether it has labels, or somebody works on it. */
const hasFoot = ({ labels, claim, taskAtWork, assignee }: ListedIssue): boolean =>
  labels.length > 0 || claim !== null || taskAtWork !== null || (assignee ?? '') !== ''

interface BoardCardProps {
  issue: ListedIssue
  project: string | undefined
  columns: readonly string[]
  /** The status that it is being moved to; null if it is not moving. */
  movingTo: string | null
  isCurrent: boolean
  onPoint(): void
  onMove(to: string): void
  onDragStart(event: DragEvent): void
  onDragEnd(): void
  style: CSSProperties
  ref: Ref<HTMLLIElement>
}

/** An issue on the board. */
export function BoardCard({
  issue,
  project,
  columns,
  movingTo,
  isCurrent,
  onPoint,
  onMove,
  onDragStart,
  onDragEnd,
  style,
  ref,
}: BoardCardProps) {
  const canMove = useMay('issues.update')
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: j and k move the cursor; the title is the link
    <li
      ref={ref}
      draggable={canMove}
      tabIndex={isCurrent ? 0 : -1}
      aria-current={isCurrent || undefined}
      data-testid="issue-row"
      data-issue={issue.id}
      onClick={onPoint}
      onDragStart={onDragStart}
      onDragEnd={onDragEnd}
      style={style}
      className={`absolute inset-x-0 top-0 flex cursor-grab flex-col rounded border border-line px-2 pt-1 pb-1.5 ${isCurrent ? 'row-current' : 'bg-panel'} ${movingTo === null ? '' : 'opacity-60'}`}
    >
      <div className="flex items-center gap-1.5">
        <PriorityMark priority={issue.priority} />
        <TypeMark type={issue.issueType} isSmall />
        <span className="flex min-w-0">
          <IdChip id={issue.id} room={ID_CHARACTERS} />
        </span>
        {issue.isBlocked && issue.status === 'open' ? (
          <Status status="blocked" evidence="open, but blocked by another issue" isSmall />
        ) : null}
        {movingTo === null ? null : (
          <span className="flex items-center gap-0.5 text-2xs text-ink-2">
            <ArrowRight aria-hidden size={11} /> {statusWord(visibleText(movingTo))} …
          </span>
        )}
        <span className="ml-auto shrink-0">
          <Menu
            trigger={
              <IconButton act="issues.update" label={`Move ${issue.id}`} className="!size-6 max-md:!size-9">
                <EllipsisVertical aria-hidden size={14} />
              </IconButton>
            }
            items={columns
              .filter((name) => name !== issue.status)
              .map((name) => ({ label: `Move to ${statusWord(visibleText(name))}`, onSelect: () => onMove(name) }))}
          />
        </span>
      </div>
      <Link
        to={issuePathIn(issue.id, project)}
        tabIndex={-1}
        className="text-sm leading-[1.125rem]"
        title={visibleText(issue.title)}
      >
        <span dir="auto" className="line-clamp-2">
          {visibleText(issue.title)}
        </span>
      </Link>
      <div className="mt-auto flex min-w-0 items-center gap-2">
        <span className="flex min-w-0 flex-1">
          <LabelMarks labels={issue.labels} />
        </span>
        <span className="max-w-[50%] min-w-0">
          <WorkMark issue={issue} />
        </span>
      </div>
    </li>
  )
}
