import { type KeyboardEvent, type PointerEvent, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { counted, shortCount, tokensOf } from '../../lib/format'
import { amountInWords, amountOf, type CostRow, dayInWords, type Measure } from './cost-words'
import { everyDay } from './costs-page'

/** Height of the chart, in pixels. */
const CHART_HEIGHT_PX = 120
/** Width of one day with its gap at most, in pixels. */
const MAX_DAY_WIDTH_PX = 48
/** Space above the highest bar, in pixels. */
const TOP_MARGIN_PX = 6

interface DayChartProps {
  rows: readonly CostRow[]
  /** Days to draw even if they have no costs. */
  bounds: readonly string[]
  measure: Measure
  onOpen(day: string): void
}

/** A bar chart of days. Pointer and arrow keys choose the current day; Enter or a click opens it. */
export function DayChart({ rows, bounds, measure, onOpen }: DayChartProps) {
  const known = [...rows.map(({ key }) => key), ...bounds].join()
  const days = useMemo(() => everyDay(known.split(',')), [known])
  const byDay = useMemo(() => new Map(rows.map((row) => [row.key, row])), [rows])
  const [chosen, setChosen] = useState<string | null>(null)
  const [frame, width] = useWidth()
  const at = chosen === null || !days.includes(chosen) ? days.length - 1 : days.indexOf(chosen)
  const day = days[at]
  if (day === undefined) return null
  const most = Math.max(...rows.map((row) => amountOf(row, measure)), Number.MIN_VALUE)
  const step = Math.min(MAX_DAY_WIDTH_PX, width / days.length)
  const words = wordsOf(day, byDay.get(day), measure)

  const onKeyDown = (event: KeyboardEvent) => {
    const next = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: days.length - 1 }[event.key]
    if (next === undefined && event.key !== 'Enter') return
    event.preventDefault()
    if (next === undefined) onOpen(day)
    else setChosen(days[Math.max(0, Math.min(days.length - 1, next))] ?? null)
  }
  const point = (event: PointerEvent<HTMLElement>) => {
    const left = event.currentTarget.getBoundingClientRect().left
    setChosen(days[Math.max(0, Math.min(days.length - 1, Math.floor((event.clientX - left) / step)))] ?? null)
  }

  return (
    <figure className="border-b border-line px-4 py-2.5">
      <figcaption className="flex flex-wrap justify-between gap-x-4 pb-2 text-xs text-ink-3">
        <span className="text-ink">{words}</span>
        <span>highest {amountInWords(most, measure)}</span>
      </figcaption>
      <div
        ref={frame}
        role="slider"
        tabIndex={0}
        aria-label="Day"
        aria-valuemin={1}
        aria-valuemax={days.length}
        aria-valuenow={at + 1}
        aria-valuetext={words}
        onKeyDown={onKeyDown}
        onPointerMove={point}
        onPointerDown={point}
        onClick={() => onOpen(day)}
        className="cursor-pointer"
      >
        <svg width={width} height={CHART_HEIGHT_PX} aria-hidden className="block max-w-full">
          {days.map((one, index) => {
            const row = byDay.get(one)
            const height =
              row === undefined ? 0 : Math.max(1, (amountOf(row, measure) / most) * (CHART_HEIGHT_PX - TOP_MARGIN_PX))
            const gap = step > 5 ? 1 : 0
            return (
              <g key={one}>
                {index === at ? (
                  <rect x={index * step} y={0} width={step} height={CHART_HEIGHT_PX} className="fill-hover" />
                ) : null}
                <rect
                  x={index * step + gap}
                  y={CHART_HEIGHT_PX - height}
                  width={Math.max(1, step - 2 * gap)}
                  height={height}
                  className={index === at ? 'fill-accent' : 'fill-accent opacity-55'}
                />
              </g>
            )
          })}
          <line
            x1={0}
            x2={width}
            y1={CHART_HEIGHT_PX - 0.5}
            y2={CHART_HEIGHT_PX - 0.5}
            className="stroke-line-strong"
          />
        </svg>
      </div>
      <div
        className="flex justify-between gap-3 pt-1 text-2xs whitespace-nowrap text-ink-3"
        style={{ width: Math.max(step * days.length, Math.min(width, 260)) }}
      >
        <span>{dayInWords(days[0] ?? '')}</span>
        {days.length > 1 ? <span>{dayInWords(days.at(-1) ?? '')}</span> : null}
      </div>
    </figure>
  )
}

function wordsOf(day: string, row: CostRow | undefined, measure: Measure): string {
  const name = dayInWords(day)
  if (row === undefined) return `${name}: no costs`
  const tokens = `${shortCount(tokensOf(row.usage))} tokens`
  const amount = measure === 'cost' ? `${amountInWords(amountOf(row, measure), measure)}, ` : ''
  return `${name}: ${amount}${tokens}, ${counted(row.messages, 'message')}`
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
