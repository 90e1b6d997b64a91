import { type RefObject, useEffect, useRef } from 'react'
import { serverNow } from '../../../lib/time'
import { type LanePicture, paintLanes } from './paint-lanes'

interface LaneCanvasProps {
  rows: LanePicture['rows']
  since: number
  partMs: number
  spanMs: number
  rowPx: number
  middlePx: number
  /** What scrolls. */
  scroller: RefObject<HTMLElement | null>
  /** Where the lanes are, within the scroller. */
  left: number
  width: number
  brush: LanePicture['brush']
}

/** A movement below it nobody sees, in pixels. */
const LEAST_MOVE_PX = 0.2

/** The pictures of all lanes: one canvas over the rows in sight, which says nothing that the rows do not say in words. */
export function LaneCanvas(props: LaneCanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const latest = useRef(props)
  latest.current = props
  useEffect(() => {
    const colors = new Colors()
    let frame = 0
    let drawn = { now: 0, scrollTop: -1, height: 0, props: null as LaneCanvasProps | null }
    const step = () => {
      frame = requestAnimationFrame(step)
      const { scroller, width, ...given } = latest.current
      const [element, view] = [canvas.current, scroller.current]
      if (element === null || view === null || width <= 0) return
      const [now, scrollTop, height] = [serverNow(), view.scrollTop, view.clientHeight]
      const movedPx = ((now - drawn.now) / given.spanMs) * width
      if (
        drawn.props === latest.current &&
        drawn.scrollTop === scrollTop &&
        drawn.height === height &&
        movedPx < LEAST_MOVE_PX
      )
        return
      drawn = { now, scrollTop, height, props: latest.current }
      const context = fit(element, width, height)
      if (context === null) return
      paintLanes(context, { ...given, width, height, now, scrollTop, colorOf: (name) => colors.of(element, name) })
    }
    frame = requestAnimationFrame(step)
    return () => cancelAnimationFrame(frame)
  }, [])
  return (
    <div aria-hidden className="pointer-events-none sticky top-0 z-1 h-0">
      <canvas ref={canvas} className="absolute top-0" style={{ left: props.left }} />
    </div>
  )
}

function fit(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  const ratio = devicePixelRatio
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)]
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w
    canvas.height = h
    canvas.style.width = `${width}px`
    canvas.style.height = `${height}px`
  }
  const context = canvas.getContext('2d')
  context?.setTransform(ratio, 0, 0, ratio, 0, 0)
  return context
}

/** How long colours are remembered: the scheme may change. Milliseconds. */
const COLORS_KEPT_MS = 1_000

/** What the colours of the style sheet are in the present scheme: a canvas does not know variables. */
class Colors {
  private known = new Map<string, string>()
  private readAt = 0

  of(element: HTMLElement, name: string): string {
    const now = performance.now()
    if (now - this.readAt > COLORS_KEPT_MS) {
      this.known.clear()
      this.readAt = now
    }
    const known = this.known.get(name)
    if (known !== undefined) return known
    element.style.color = `var(${name})`
    const { color } = getComputedStyle(element)
    this.known.set(name, color)
    return color
  }
}
