import { type KeyboardEvent, type PointerEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { CostStep } from '#domain/cost/periods'
import { visibleText } from '../../lib/visible-text'
import type { ChartPeriod, CostsOverTime } from './chart-periods'
import { STACK_FILLS } from './cost-legend'
import { amountInWords, type Measure, periodInWords } from './cost-words'

const CHART_HEIGHT_PX = 120
/** Width of one period with its gap at most, in pixels: seven fill a wide page, and one alone is no wall. */
const MAX_PERIOD_WIDTH_PX = 260
/** Space above the highest bar, in pixels. */
const TOP_MARGIN_PX = 6
/** Bars narrower than this have no gaps between them, in pixels. */
const GAP_FROM_PX = 5

interface CostChartProps {
  periods: readonly ChartPeriod[]
  stacks: CostsOverTime['stacks']
  step: CostStep
  measure: Measure
  /** The brushed part. Milliseconds since the epoch. */
  brushed: { from: number; to: number } | null
  onBrush(part: { from: number; to: number }): void
}

/**
 * Bars of periods, each split by the stacks, with the earlier time as a line. Dragging, or the arrow keys with Shift, choose a part; a
 * click or Enter applies it.
 */
export function CostChart({ periods, stacks, step, measure, brushed, onBrush }: CostChartProps) {
  const [range, setRange] = useState<readonly [anchor: number, at: number] | null>(null)
  const isDragging = useRef(false)
  const [frame, width] = useWidth()
  const last = periods.length - 1
  // biome-ignore lint/correctness/useExhaustiveDependencies: a range is one of the periods that are drawn
  useEffect(() => setRange(null), [step, periods[0]?.begin, last])
  const [anchor, at] = range === null || range.some((one) => one > last) ? [last, last] : range
  const [low, high] = [Math.min(anchor, at), Math.max(anchor, at)]
  const [first, end] = [periods[low], periods[high]]
  if (first === undefined || end === undefined) return null
  const most = Math.max(...periods.map(({ amount, before }) => Math.max(amount, before ?? 0)), Number.MIN_VALUE)
  const stepPx = Math.min(MAX_PERIOD_WIDTH_PX, width / periods.length)
  const words = wordsOf(periods.slice(low, high + 1), stacks, step, measure)
  const apply = () => onBrush({ from: first.begin, to: end.end })
  const clamp = (place: number) => Math.max(0, Math.min(last, place))

  const onKeyDown = (event: KeyboardEvent) => {
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key]
    if (next === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (next === undefined) apply()
    else setRange([event.shiftKey ? anchor : clamp(next), clamp(next)])
  }
  const placeOf = (event: PointerEvent<HTMLElement>) =>
    clamp(Math.floor((event.clientX - event.currentTarget.getBoundingClientRect().left) / stepPx))
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    isDragging.current = true
    setRange([placeOf(event), placeOf(event)])
  }
  const onPointerMove = (event: PointerEvent<HTMLElement>) =>
    setRange(isDragging.current ? [anchor, placeOf(event)] : [placeOf(event), placeOf(event)])
  const onPointerUp = () => {
    if (isDragging.current) apply()
    isDragging.current = false
  }
  const onPointerCancel = () => {
    isDragging.current = false
  }

  return (
    <div>
      <p className="flex flex-wrap justify-between gap-x-4 pb-2 text-xs text-ink-3">
        <span className="text-ink">{words}</span>
        <span>highest {amountInWords(most, measure)}</span>
      </p>
      <div
        ref={frame}
        role="slider"
        tabIndex={0}
        aria-label={`Costs by ${step}`}
        aria-valuemin={1}
        aria-valuemax={periods.length}
        aria-valuenow={at + 1}
        aria-valuetext={words}
        onKeyDown={onKeyDown}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={onPointerCancel}
        className="cursor-pointer touch-pan-y"
      >
        <svg width={width} height={CHART_HEIGHT_PX} aria-hidden className="block max-w-full">
          <rect x={low * stepPx} width={(high - low + 1) * stepPx} height={CHART_HEIGHT_PX} className="fill-hover" />
          <Bars {...{ periods, most, stepPx, brushed }} />
          <Before {...{ periods, most, stepPx }} />
          <line x2={width} y1={CHART_HEIGHT_PX - 0.5} y2={CHART_HEIGHT_PX - 0.5} className="stroke-line-strong" />
        </svg>
      </div>
      <div
        className="flex justify-between gap-3 pt-1 text-2xs whitespace-nowrap text-ink-3"
        style={{ width: Math.max(stepPx * periods.length, Math.min(width, 260)) }}
      >
        <span>{periodInWords(periods[0]?.begin ?? 0, step)}</span>
        {periods.length > 1 ? <span>{periodInWords(periods[last]?.begin ?? 0, step)}</span> : null}
      </div>
    </div>
  )
}

interface DrawProps {
  periods: readonly ChartPeriod[]
  most: number
  stepPx: number
}

const heightOf = (amount: number, most: number): number => (amount / most) * (CHART_HEIGHT_PX - TOP_MARGIN_PX)

function Bars({ periods, most, stepPx, brushed }: DrawProps & Pick<CostChartProps, 'brushed'>) {
  const gap = stepPx > GAP_FROM_PX ? 1 : 0
  return periods.map(({ begin, parts }, index) => {
    let top = CHART_HEIGHT_PX
    const isOut = brushed !== null && (begin < brushed.from || begin >= brushed.to)
    return (
      <g key={begin} opacity={isOut ? 0.35 : 1}>
        {parts.map(({ stack, amount }) => {
          const height = heightOf(amount, most)
          top -= height
          return (
            <rect
              key={stack}
              x={index * stepPx + gap}
              y={top}
              width={Math.max(1, stepPx - 2 * gap)}
              height={height}
              className={STACK_FILLS[stack]}
            />
          )
        })}
      </g>
    )
  })
}

/** The time before, as steps of a line. */
function Before({ periods, most, stepPx }: DrawProps) {
  if (periods.every(({ before }) => before === null || before === 0)) return null
  const path = periods
    .map(({ before }, at) => {
      const y = CHART_HEIGHT_PX - heightOf(before ?? 0, most)
      return `${at === 0 ? 'M' : 'L'}${at * stepPx} ${y}H${(at + 1) * stepPx}`
    })
    .join('')
  return <path d={path} className="fill-none stroke-ink-3" strokeDasharray="3 2" />
}

/** What the chosen periods come to, the largest stacks first. */
function wordsOf(
  chosen: readonly ChartPeriod[],
  stacks: CostsOverTime['stacks'],
  step: CostStep,
  measure: Measure,
): string {
  const [first, last] = [chosen[0], chosen.at(-1)]
  const name = [...new Set([first?.begin ?? 0, last?.begin ?? 0])].map((at) => periodInWords(at, step)).join(' – ')
  const amounts = new Map<number, number>()
  for (const { parts } of chosen)
    for (const { stack, amount } of parts) amounts.set(stack, (amounts.get(stack) ?? 0) + amount)
  const sum = [...amounts.values()].reduce((all, amount) => all + amount, 0)
  const before = chosen.reduce((all, one) => all + (one.before ?? 0), 0)
  if (amounts.size === 0) return `${name}: no costs`
  const parts = [...amounts]
    .filter(([, amount]) => amount > 0)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([stack, amount]) => `${visibleText(stacks[stack]?.label ?? '')} ${amountInWords(amount, measure)}`)
  const earlier = before === 0 ? '' : `; ${amountInWords(before, measure)} in the time before`
  return `${name}: ${amountInWords(sum, measure)}${parts.length < 2 ? '' : ` (${parts.join(', ')})`}${earlier}`
}

/** Measures the available width, in pixels. */
function useWidth() {
  const frame = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(600)
  useLayoutEffect(() => {
    const element = frame.current
    if (element === null) return
    const look = () => setWidth(element.clientWidth)
    look()
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [frame, width] as const
}
