import { memo, type Ref } from 'react'
import { Link } from '../../../components/link'
import { AgentLine } from '../../../components/ui/agent-text'
import { Money } from '../../../components/ui/money'
import { Status } from '../../../components/ui/status'
import type { Lane } from './lane-query'
import { lanePath, statusOf } from './lane-words'

interface LaneRowProps {
  lane: Lane
  /** What its picture says. */
  words: string
  isCurrent: boolean
  isBrushed: boolean
  rowRef: Ref<HTMLLIElement> | null
  onFocus(): void
}

/** Columns of a lane from the width of a tablet on; below it the lane is on a line of its own. */
export const LANE_COLUMNS =
  'md:grid-cols-[1.25rem_minmax(0,12rem)_3.5rem_minmax(0,1fr)_4rem] xl:grid-cols-[1.25rem_minmax(0,16rem)_minmax(0,13rem)_minmax(0,1fr)_4.5rem]'

/**
 * What one agent does, in words; its lane is drawn over the empty cell. It is deaf to the pointer but for what has something to tell: rows that
 * pass below a pointer while the list scrolls would each be styled anew, which took most of a frame.
 */
export const LaneRowItem = memo(function LaneRowItem({
  lane,
  words,
  isCurrent,
  isBrushed,
  rowRef,
  onFocus,
}: LaneRowProps) {
  const { todos, doing, lastHour } = lane
  const aim = todos?.current ?? doing
  return (
    <li
      ref={rowRef}
      {...{ tabIndex: isCurrent ? 0 : -1, onFocus }}
      aria-current={isCurrent ? 'true' : undefined}
      data-testid="lane-row"
      data-brushed={isBrushed || undefined}
      className={`pointer-events-none grid h-12 [contain:strict] grid-cols-[1.25rem_minmax(0,1fr)_auto_auto] content-start items-center gap-x-2 border-b border-line px-3 text-xs focus-visible:outline-offset-[-2px] md:h-8 md:content-center ${LANE_COLUMNS} ${isCurrent ? 'row-current' : isBrushed ? 'tint-accent' : ''}`}
    >
      <span className="pointer-events-auto inline-flex">
        <Status status={statusOf(lane)} evidence={lane.statusEvidence} isSmall />
      </span>
      <Link to={lanePath(lane)} className="pointer-events-auto min-w-0 text-sm max-md:leading-6">
        <AgentLine text={lane.title === '' ? 'without a title' : lane.title} />
      </Link>
      <span className="pointer-events-auto flex min-w-0 gap-1.5 text-ink-3">
        {todos === null || todos.total === 0 ? null : (
          <span className="shrink-0" title={`${todos.completed} of ${todos.total} to-dos`}>
            {todos.completed}/{todos.total}
            <span className="sr-only"> to-dos done</span>
          </span>
        )}
        {aim === null ? null : (
          <span className="min-w-0 max-xl:hidden">
            <AgentLine text={aim} />
          </span>
        )}
      </span>
      <span className="max-md:sr-only">
        <span className="sr-only">{words}</span>
      </span>
      <span className="text-right text-ink-2">
        {lastHour.costUsd === null ? (
          <span className="text-ink-3">no price</span>
        ) : (
          <Money cost={lastHour} title={`Messages of the last hour: ${lastHour.costUsd}`} />
        )}
      </span>
    </li>
  )
})
