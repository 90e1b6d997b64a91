import { ChevronDown, ChevronRight, SquareCheck } from 'lucide-react'
import { memo, type RefObject } from 'react'
import { DangerList, DangerMark } from '../../../components/danger'
import { AgentLine, AgentText } from '../../../components/ui/agent-text'
import { Status } from '../../../components/ui/status'
import { When } from '../../../components/ui/when'
import { useRestsFor } from '../../../lib/keys/key-rest'
import { projectName } from '../../../lib/visible-text'
import type { Need } from '../needs'
import type { InboxRow } from './inbox-rows'
import { GroupActions } from './need-actions'
import { NeedText } from './need-text'
import { Peek } from './peek'
import type { Pending } from './pending'
import { PendingCard } from './pending-card'
import type { InboxActs } from './use-inbox'

interface GroupRowProps {
  row: Extract<InboxRow, { kind: 'group' }>
  isCurrent: boolean
  isSelected: boolean
  element: RefObject<HTMLElement | null> | null
  pending: Pending | null
  acts: InboxActs
  onFocus(id: string): void
}

/** Needs with one cause on one line. Its details list them, and one decision is for all. */
export const GroupRow = memo(function GroupRow({
  row: { id, needs, title, isOpen, count, isPartial },
  isCurrent,
  isSelected,
  element,
  pending,
  acts,
  onFocus,
}: GroupRowProps) {
  const first = needs[0] as Need
  const isResting = useRestsFor(id)
  const Icon = isOpen ? ChevronDown : ChevronRight
  const dangers = first.question?.dangers ?? []
  return (
    <li
      ref={element as RefObject<HTMLLIElement | null>}
      tabIndex={isCurrent ? 0 : -1}
      onFocus={() => onFocus(id)}
      data-testid="need-group"
      data-keys={isResting ? 'resting' : undefined}
      data-selected={isSelected || undefined}
      aria-current={isCurrent ? 'true' : undefined}
      className={`border-b border-line last:border-b-0 focus-visible:outline-offset-[-2px] ${isCurrent ? 'row-current' : ''}`}
    >
      <div className="flex min-h-8 cursor-default items-center gap-2 px-3 py-1 max-md:min-h-11">
        {isSelected ? <SquareCheck aria-label="selected" size={14} className="shrink-0 text-accent" /> : null}
        <Status status={first.kind} isSmall />
        <span className="min-w-0 flex-1 text-sm font-medium">
          <AgentLine text={title} />
        </span>
        <DangerMark dangers={dangers} />
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={isOpen ? 'Hide the needs of this group' : 'Show the needs of this group'}
          onClick={() => acts.toggle(id)}
          className="inline-flex shrink-0 items-center justify-center rounded-sm text-ink-3 hover:bg-hover"
        >
          <Icon aria-hidden size={15} />
        </button>
      </div>
      {isCurrent ? (
        <Peek title={title}>
          {pending === null ? null : <PendingCard pending={pending} onEnd={acts.leave} />}
          <NeedText need={first} />
          {pending === null ? (
            <>
              <DangerList dangers={dangers} />
              <GroupActions needs={needs} count={count} isResting={isResting || isPartial} acts={acts} />
            </>
          ) : null}
          <ul aria-label="The needs of this group" className="flex flex-col gap-1 text-sm">
            {needs.map((need) => (
              <li key={need.id} className="flex min-w-0 items-baseline gap-2">
                <span className="min-w-0 flex-1">
                  <AgentText text={need.title} />
                </span>
                <span className="flex shrink-0 gap-2 text-xs text-ink-3">
                  {need.project === null ? null : <span>{projectName(need.project)}</span>}
                  <When at={need.since} />
                </span>
              </li>
            ))}
            {count > needs.length ? (
              <li className="text-xs text-ink-3">
                {isPartial ? 'Reading' : 'After these:'} {(count - needs.length).toLocaleString('en')} more
                {isPartial ? ' …' : ''}
              </li>
            ) : null}
          </ul>
        </Peek>
      ) : null}
    </li>
  )
})
