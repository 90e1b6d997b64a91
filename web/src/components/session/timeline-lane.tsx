import type { MouseEvent } from 'react'
import type { ResponseOf } from '../../../../src/api/contract/responses'
import { exactTime, lengthOf } from '../../lib/time'
import { visibleText } from '../../lib/visible-text'
import { AgentLine } from '../ui/agent-text'
import { Status } from '../ui/status'

type LaneData = ResponseOf<'sessions.timeline'>['lanes'][number]

interface LaneProps {
  lane: LaneData
  /** Of the whole timeline, in milliseconds. */
  span: { from: number; to: number }
  /** Compactions. ISO 8601. */
  marks: readonly string[]
  /** @param at  milliseconds */
  onVisit(at: number): void
}

const TONES = {
  working: 'fill-run',
  tool: 'fill-run opacity-55',
  waiting: 'fill-need',
  idle: 'fill-line-strong',
} as const
/** Each kind has a height of its own, for those who don't tell the colours apart. */
const HEIGHTS = { working: 11, tool: 6, waiting: 18, idle: 1 } as const
const WIDTH = 1_000
const HEIGHT = 18

/** One agent: its name, and what it did when. A press goes to what was said then. */
export function Lane({ lane, span, marks, onVisit }: LaneProps) {
  const name = visibleText(lane.subagent?.description ?? lane.subagent?.type ?? 'main thread')
  const place = (at: number) => ((at - span.from) / (span.to - span.from)) * WIDTH
  const { working, tool, waiting } = lane.spentMs
  const words = `${name}: working ${lengthOf(working)}, in tools ${lengthOf(tool)}${waiting > 0 ? `, waiting ${lengthOf(waiting)}` : ''}`
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    // Without a pointer: where the lane begins.
    const isPointed = event.clientX > 0 && event.detail > 0
    const share = isPointed ? (event.clientX - box.left) / box.width : place(Date.parse(lane.startedAt)) / WIDTH
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
        aria-label={`${words}. To what was said then`}
        title={words}
        className="block h-8 min-w-0 flex-1 max-md:h-9 max-md:flex-none"
      >
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          className="h-full w-full"
          aria-hidden="true"
          focusable="false"
        >
          {lane.segments.map(({ from, to, kind }) => {
            const x = place(Date.parse(from))
            const height = HEIGHTS[kind]
            return (
              <rect
                key={`${from} ${kind}`}
                x={x}
                // What is short is seen all the same.
                width={Math.max(place(Date.parse(to)) - x, kind === 'idle' ? 0 : 1.5)}
                y={(HEIGHT - height) / 2}
                height={height}
                className={TONES[kind]}
              >
                <title>{`${kind}, ${lengthOf(Date.parse(to) - Date.parse(from))}, ${exactTime(from)}`}</title>
              </rect>
            )
          })}
          {marks.map((at) => (
            <rect key={at} x={place(Date.parse(at))} y={0} width={2} height={HEIGHT} className="fill-ink">
              <title>{`compacted, ${exactTime(at)}`}</title>
            </rect>
          ))}
        </svg>
      </button>
    </li>
  )
}
