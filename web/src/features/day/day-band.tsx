import { useMemo } from 'react'
import { counted } from '../../lib/format'
import type { DayAnswer, Lane } from './day-query'

/** Size of the drawing, in its own units; it is stretched to the available width. */
const HEIGHT = 40
/** Where runs and errors are drawn, below and above the columns. */
const RUN_HEIGHT = 3
const MARK_HEIGHT = 5

/** How many sessions were at work in each part of the day, with its prompts, errors and runs. A press goes to the moment. */
export function DayBand({ day, at, onSeek }: { day: DayAnswer; at: number; onSeek(at: number): void }) {
  const from = Date.parse(day.from)
  const parts = partsOf(day)
  const drawn = useMemo(() => drawingOf(day, parts), [day, parts])
  const now = (at - from) / day.partMs
  return (
    <button
      type="button"
      // The slider below does the same for keys and assistive technology.
      tabIndex={-1}
      aria-label={`When sessions were at work: ${counted(day.total, 'session')}, at most ${drawn.most} at once. Go to the moment`}
      className="block h-14 w-full"
      onClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect()
        const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width))
        onSeek(from + Math.round(share * parts) * day.partMs)
      }}
    >
      <svg
        viewBox={`0 0 ${parts} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-full w-full forced-color-adjust-none"
        aria-hidden="true"
        focusable="false"
      >
        <rect x={0} y={HEIGHT - RUN_HEIGHT - 0.5} width={parts} height={0.5} className="fill-line-strong" />
        <path d={drawn.busy} className="fill-run opacity-80" />
        <path d={drawn.runs} className="fill-done" />
        <path d={drawn.prompts} className="fill-accent" />
        <path d={drawn.errors} className="fill-fail" />
        <rect
          x={now - parts / 1_000}
          y={0}
          width={parts / 500}
          height={HEIGHT}
          className="fill-ink"
          data-testid="day-now"
        />
      </svg>
    </button>
  )
}

/** Size of the drawing of one session, as above. */
const STRIP_HEIGHT = 12

/** When one session was at work, above its runs, with its errors; the moment stands in it. */
export function DayStrip({ lane, parts, now }: { lane: Lane; parts: number; now: number }) {
  const drawn = useMemo(() => {
    const least = parts / 200
    const spans = (all: Lane['busy'], y: number, height: number) =>
      all.map(({ first, last }) => box(first, y, Math.max(last - first + 1, least), height)).join('')
    return {
      busy: spans(lane.busy, 2, 7),
      runs: spans(lane.runs, 10.5, 1.5),
      errors: lane.errors.map((at) => box(at, 0, least, STRIP_HEIGHT)).join(''),
    }
  }, [lane, parts])
  return (
    <svg
      viewBox={`0 0 ${parts} ${STRIP_HEIGHT}`}
      preserveAspectRatio="none"
      className="h-4 w-full forced-color-adjust-none"
      aria-hidden="true"
      focusable="false"
    >
      <rect x={0} y={9.5} width={parts} height={0.5} className="fill-line" />
      <path d={drawn.busy} className="fill-run opacity-80" />
      <path d={drawn.runs} className="fill-done" />
      <path d={drawn.errors} className="fill-fail" />
      <rect x={now - parts / 400} y={0} width={parts / 200} height={STRIP_HEIGHT} className="fill-ink" />
    </svg>
  )
}

/** Parts of a day, also of one that is longer than usual. */
export const partsOf = ({ from, to, partMs }: DayAnswer): number =>
  Math.max(1, Math.ceil((Date.parse(to) - Date.parse(from)) / partMs))

/** What the colours of the band mean. */
export function BandLegend() {
  return (
    <ul aria-label="Colours" className="flex flex-wrap gap-x-3 text-2xs text-ink-3">
      {KINDS.map(([tone, words]) => (
        <li key={words} className="inline-flex items-center gap-1.5">
          <span aria-hidden className={`forced-color-adjust-none inline-block w-2.5 ${tone}`} />
          {words}
        </li>
      ))}
    </ul>
  )
}

const KINDS = [
  ['h-2.5 bg-run opacity-80', 'sessions at work'],
  ['h-1 bg-done', 'runs of tasks'],
  ['h-1.5 bg-accent', 'prompts'],
  ['h-1.5 bg-fail', 'errors'],
] as const

/** Paths of rectangles: a day has more parts than an element each would be good for. */
function drawingOf({ lanes }: DayAnswer, parts: number) {
  const counts = new Uint16Array(parts)
  const runs = new Uint8Array(parts)
  const prompts = new Uint8Array(parts)
  const errors = new Uint8Array(parts)
  for (const lane of lanes) {
    for (const { first, last } of lane.busy)
      for (let at = first; at <= last && at < parts; at++) counts[at] = (counts[at] ?? 0) + 1
    for (const { first, last } of lane.runs) runs.fill(1, first, last + 1)
    for (const at of lane.prompts) prompts[at] = 1
    for (const at of lane.errors) errors[at] = 1
  }
  const most = counts.reduce((a, b) => Math.max(a, b), 0)
  const top = 2 * MARK_HEIGHT + 1
  const room = HEIGHT - RUN_HEIGHT - 1 - top
  // A part is less than a pixel on most pages.
  const wide = Math.max(1, parts / 700)
  let busy = ''
  counts.forEach((count, at) => {
    if (count === 0) return
    // A single session stays visible beside a hundred.
    const height = Math.max(2, (count / most) * room)
    busy += box(at, HEIGHT - RUN_HEIGHT - 1 - height, wide, height)
  })
  const marks = (flags: Uint8Array, y: number, height: number, width: number) =>
    [...flags].map((flag, at) => (flag === 0 ? '' : box(at - (width - 1) / 2, y, width, height))).join('')
  return {
    most,
    busy,
    runs: marks(runs, HEIGHT - RUN_HEIGHT + 0.5, RUN_HEIGHT - 0.5, wide),
    prompts: marks(prompts, 0, MARK_HEIGHT - 1, 2 * wide),
    errors: marks(errors, MARK_HEIGHT, MARK_HEIGHT - 1, 2 * wide),
  }
}

const box = (x: number, y: number, width: number, height: number): string =>
  `M${x.toFixed(2)} ${y.toFixed(2)}h${width.toFixed(2)}v${height.toFixed(2)}h${(-width).toFixed(2)}z`
