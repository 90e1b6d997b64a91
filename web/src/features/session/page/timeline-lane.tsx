import type { MouseEvent } from 'react'
import type { Answers } from '#api/contract/operations/index'
import { AgentLine } from '../../../components/ui/agent-text'
import { Status } from '../../../components/ui/status'
import { exactTime, lengthOf } from '../../../lib/time'
import { visibleText } from '../../../lib/visible-text'
import { SEGMENT_WORDS } from './segment-words'

type LaneData = Answers['sessions']['timeline']['lanes'][number]

interface LaneProps {
  lane: LaneData
  /** Bounds of the timeline, in milliseconds since the epoch. */
  span: { from: number; to: number }
  /** Times of compactions. ISO 8601. */
  marks: readonly string[]
  /** @param at  milliseconds since the epoch */
  onVisit(at: number): void
}

/** Colours by kind of segment. */
const SEGMENT_TONES = {
  working: 'fill-run',
  tool: 'fill-run opacity-55',
  waiting: 'fill-need',
  idle: 'fill-line-strong',
} as const
/** Heights by kind of segment, in units of the drawing, so that kinds differ without colour. */
const SEGMENT_HEIGHTS = { working: 11, tool: 6, waiting: 18, idle: 1 } as const
/** Size of the drawing, in its own units; it is stretched to the available width. */
const LANE_WIDTH = 1_000
const LANE_HEIGHT = 18

/** One agent: its name, and what it did when. A click goes to the line of that time. */
export function Lane({ lane, span, marks, onVisit }: LaneProps) {
  const name = visibleText(lane.subagent?.description ?? lane.subagent?.type ?? 'main thread')
  const place = (at: number) => ((at - span.from) / (span.to - span.from)) * LANE_WIDTH
  const { working, tool, waiting } = lane.spentMs
  const words = `${name}: working ${lengthOf(working)}, in tools ${lengthOf(tool)}${waiting > 0 ? `, waiting ${lengthOf(waiting)}` : ''}`
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    // By keyboard: the start of the lane.
    const isPointed = event.clientX > 0 && event.detail > 0
    const share = isPointed ? (event.clientX - box.left) / box.width : place(Date.parse(lane.startedAt)) / LANE_WIDTH
    onVisit(Math.round(span.from + share * (span.to - span.from)))
  }
  return (
    <li className="flex items-center gap-2 border-b border-line px-4 max-md:flex-col max-md:items-stretch max-md:gap-0 max-md:px-3">
      <span
        className="flex w-56 shrink-0 items-center gap-2 text-xs max-md:w-full max-md:pt-1"
        style={{ paddingLeft: Math.min(lane.subagent?.depth ?? 0, 5) * 10 }}
      >
        {lane.subagent === null ? null : (
          <Status status={lane.subagent.status} evidence={lane.subagent.statusEvidence} isSmall />
        )}
        <AgentLine text={name} className="min-w-0 flex-1" />
        <span className="text-ink-3">{lengthOf(Date.parse(lane.endedAt) - Date.parse(lane.startedAt))}</span>
      </span>
      <button
        type="button"
        onClick={press}
        aria-label={`${words}. Go to the conversation`}
        title={words}
        className="block h-8 min-w-0 flex-1 max-md:h-9 max-md:flex-none"
      >
        <svg
          viewBox={`0 0 ${LANE_WIDTH} ${LANE_HEIGHT}`}
          preserveAspectRatio="none"
          className="h-full w-full"
          aria-hidden="true"
          focusable="false"
        >
          {lane.segments.map(({ from, to, kind }) => {
            const x = place(Date.parse(from))
            const height = SEGMENT_HEIGHTS[kind]
            return (
              <rect
                key={`${from} ${kind}`}
                x={x}
                // Short segments stay visible.
                width={Math.max(place(Date.parse(to)) - x, kind === 'idle' ? 0 : 1.5)}
                y={(LANE_HEIGHT - height) / 2}
                height={height}
                className={SEGMENT_TONES[kind]}
              >
                <title>{`${SEGMENT_WORDS[kind]}, ${lengthOf(Date.parse(to) - Date.parse(from))}, ${exactTime(from)}`}</title>
              </rect>
            )
          })}
          {marks.map((at) => (
            <rect key={at} x={place(Date.parse(at))} y={0} width={2} height={LANE_HEIGHT} className="fill-ink">
              <title>{`compacted, ${exactTime(at)}`}</title>
            </rect>
          ))}
        </svg>
      </button>
    </li>
  )
}
