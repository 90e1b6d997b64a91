import { statusTone } from '../../../components/ui/status'
import type { Lane } from './lane-query'
import { needsYou, type Span, statusOf, waitsOf } from './lane-words'

/** What is drawn, in pixels of the page and milliseconds since the epoch. */
export interface LanePicture {
  /** `null` = the head of a machine. */
  rows: readonly (Lane | null)[]
  since: number
  partMs: number
  /** The time at the right edge. */
  now: number
  spanMs: number
  width: number
  height: number
  rowPx: number
  /** Where in its row a lane's middle is. */
  middlePx: number
  scrollTop: number
  brush: (Span & { first: number; last: number }) | null
  colorOf(name: string): string
}

/** Heights of what is drawn, in pixels. */
const BUSY_PX = 10
const WAIT_PX = 14
const TAIL_PX = 3
const LINE_PX = 1
/** Lines in a part from which it is drawn as very busy. */
const MANY_LINES = 8

/** Draws the rows that are in sight. */
export function paintLanes(context: CanvasRenderingContext2D, picture: LanePicture): void {
  const { rows, width, height, rowPx, middlePx, scrollTop, brush, colorOf } = picture
  context.clearRect(0, 0, width, height)
  const first = Math.max(0, Math.floor(scrollTop / rowPx))
  const last = Math.min(rows.length - 1, Math.floor((scrollTop + height) / rowPx))
  for (let at = first; at <= last; at++) {
    const lane = rows[at]
    if (lane) paintLane(context, picture, lane, at * rowPx - scrollTop + middlePx)
  }
  if (brush === null) return
  const [left, right] = [xOf(picture, brush.from), xOf(picture, brush.to)]
  const top = brush.first * rowPx - scrollTop
  context.globalAlpha = 0.16
  context.fillStyle = colorOf('--accent')
  context.fillRect(left, top, Math.max(1, right - left), (brush.last - brush.first + 1) * rowPx)
  context.globalAlpha = 1
}

const xOf = ({ now, spanMs, width }: LanePicture, at: number): number =>
  Math.max(0, Math.min(width, width - ((now - at) / spanMs) * width))

function paintLane(context: CanvasRenderingContext2D, picture: LanePicture, lane: Lane, middle: number): void {
  const { since, partMs, now, colorOf } = picture
  const bar = (from: number, to: number, px: number, color: string) => {
    const [left, right] = [xOf(picture, from), xOf(picture, to)]
    context.fillStyle = color
    context.fillRect(left, middle - px / 2, Math.max(1, right - left), px)
  }
  const begin = lane.startedAt === null ? since : Math.max(since, Date.parse(lane.startedAt))
  bar(begin, now, LINE_PX, colorOf('--line-strong'))
  let end = begin
  for (let part = 0; part < lane.lines.length; ) {
    const level = levelOf(lane.lines[part] ?? 0)
    const from = part
    while (part < lane.lines.length && levelOf(lane.lines[part] ?? 0) === level) part++
    if (level === 0) continue
    end = Math.min(now, since + part * partMs)
    context.globalAlpha = level === 1 ? 0.6 : 1
    bar(since + from * partMs, end, BUSY_PX, colorOf('--run'))
    context.globalAlpha = 1
  }
  const isNeedy = needsYou(lane)
  bar(end, now, isNeedy ? WAIT_PX : TAIL_PX, colorOf(statusTone(statusOf(lane)).replace('text-', '--')))
  for (const { from, to } of waitsOf(lane, now)) bar(from, to, WAIT_PX, colorOf('--need'))
}

const levelOf = (lines: number): 0 | 1 | 2 => (lines === 0 ? 0 : lines < MANY_LINES ? 1 : 2)
