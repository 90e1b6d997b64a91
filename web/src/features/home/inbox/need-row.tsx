import { SquareCheck } from 'lucide-react'
import { memo, type RefObject } from 'react'
import { DangerMark } from '../../../components/danger'
import { HeldLine } from '../../../components/held-line'
import { AgentLine } from '../../../components/ui/agent-text'
import { Status } from '../../../components/ui/status'
import { When } from '../../../components/ui/when'
import { callLine } from '../../../lib/call-words'
import { useRestsFor } from '../../../lib/keys/key-rest'
import { withLocalTimes } from '../../../lib/time'
import { projectName } from '../../../lib/visible-text'
import type { Need } from '../needs'
import { useNeedState } from './need-moves'
import { NeedPeek } from './need-peek'
import type { Pending } from './pending'
import type { InboxActs } from './use-inbox'

interface NeedRowProps {
  need: Need
  isInGroup: boolean
  isCurrent: boolean
  isSelected: boolean
  element: RefObject<HTMLElement | null> | null
  /** The current row's. */
  pending: Pending | null
  acts: InboxActs
  onFocus(id: string): void
}

/** One need on one line. The current one has its details beside the list; on a narrow page they are below it. */
export const NeedRow = memo(function NeedRow({
  need,
  isInGroup,
  isCurrent,
  isSelected,
  element,
  pending,
  acts,
  onFocus,
}: NeedRowProps) {
  const { id } = need
  const state = useNeedState(need)
  const isResting = useRestsFor(id)
  const text = rowText(need)
  return (
    <li
      ref={element as RefObject<HTMLLIElement | null>}
      tabIndex={isCurrent ? 0 : -1}
      onFocus={() => onFocus(id)}
      data-testid="need-row"
      data-need={need.kind}
      data-subject={need.taskId ?? need.sessionId ?? undefined}
      data-keys={isResting ? 'resting' : undefined}
      data-selected={isSelected || undefined}
      aria-current={isCurrent ? 'true' : undefined}
      className={`border-b border-line last:border-b-0 focus-visible:outline-offset-[-2px] ${isCurrent ? 'row-current' : ''}`}
    >
      <div
        className={`flex min-h-8 cursor-default items-center gap-2 px-3 py-1 max-md:min-h-11 ${isInGroup ? 'pl-7' : ''}`}
      >
        {isSelected ? <SquareCheck aria-label="selected" size={14} className="shrink-0 text-accent" /> : null}
        <Status status={need.kind} evidence={need.evidence} isSmall />
        <span className="min-w-24 flex-1 text-sm">
          <AgentLine text={need.title} />
        </span>
        {state.held !== null && state.held.kind !== 'undone' && state.held.kind !== 'failed' ? (
          <HeldLine held={state.held} />
        ) : (
          <>
            {need.question === null ? null : <DangerMark dangers={need.question.dangers} />}
            <span className="min-w-0 flex-1 text-xs text-ink-3 empty:hidden max-md:hidden">
              {text === '' ? null : <AgentLine text={text} />}
            </span>
          </>
        )}
        <span className="flex shrink-0 items-baseline gap-2 text-xs text-ink-3">
          {need.project === null ? null : <span className="max-md:hidden">{projectName(need.project)}</span>}
          {need.snoozedUntil === null ? (
            <When at={need.since} />
          ) : (
            <span>
              wakes <When at={need.snoozedUntil} />
            </span>
          )}
        </span>
      </div>
      {isCurrent ? <NeedPeek need={need} state={state} isResting={isResting} pending={pending} acts={acts} /> : null}
    </li>
  )
})

const rowText = ({ question, text }: Need): string =>
  question === null ? withLocalTimes(text) : `${question.toolName} ${callLine(question.input)}`
