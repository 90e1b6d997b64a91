import { type RefObject, useCallback, useEffect, useMemo, useRef } from 'react'

/** Bounds of the zoom factor. */
const MIN_SCALE = 0.08
const MAX_SCALE = 2.5
/** Zoom factor below which text is too small to read, where the letters are those of the page, and from which on nothing is written. */
const READABLE_SCALE = 0.9
const WHOLE_SCALE = 1
const FAR_SCALE = 0.45
/** A press that moves less than this is a click. Pixels. */
const CLICK_SLOP_PX = 4
/** Space around the picture, in pixels. */
const MARGIN_PX = 24

interface View {
  x: number
  y: number
  scale: number
}

type Box = { x: number; y: number; width: number; height: number }

export interface PanZoom {
  /** Fits the whole picture into the frame. */
  fit(): void
  /** Fits the whole picture if it stays readable; otherwise centres `middle`. */
  begin(middle: Box | undefined): void
  /** Zooms around the centre of the frame. @param factor  above 1 = in */
  zoom(factor: number): void
  /** Moves the picture, in pixels. */
  pan(x: number, y: number): void
  /** Moves the picture as little as possible to show a box of it. */
  reveal(box: Box): void
  /** Whether the press that has just ended was a drag. */
  wasDrag(): boolean
}

/**
 * Pans and zooms a picture by pointer, wheel, pinch and calls. It moves the element directly, without rendering.
 *
 * @param size  size of the picture at a zoom of 1, in pixels
 */
export function usePanZoom(
  frame: RefObject<HTMLElement | null>,
  picture: RefObject<SVGSVGElement | null>,
  size: { width: number; height: number },
): PanZoom {
  const view = useRef<View>({ x: MARGIN_PX, y: MARGIN_PX, scale: 1 })
  const latestSize = useRef(size)
  latestSize.current = size
  const isDrag = useRef(false)

  const apply = useCallback(() => {
    const { x, y, scale } = view.current
    if (picture.current === null) return
    // By CSS: an SVG transform would lay out all texts again at each step.
    picture.current.style.transform = `translate(${x}px, ${y}px) scale(${scale})`
    frame.current?.toggleAttribute('data-far', scale < FAR_SCALE)
  }, [frame, picture])

  const zoomAt = useCallback(
    (factor: number, atX: number, atY: number) => {
      const { x, y, scale } = view.current
      const next = Math.min(MAX_SCALE, Math.max(MIN_SCALE, scale * factor))
      const by = next / scale
      view.current = { x: atX - (atX - x) * by, y: atY - (atY - y) * by, scale: next }
      apply()
    },
    [apply],
  )

  const api = useMemo((): PanZoom => {
    const box = () => frame.current?.getBoundingClientRect() ?? new DOMRect(0, 0, 1, 1)
    const fitting = () => {
      const { width, height } = box()
      const { width: own, height: tall } = latestSize.current
      const scale = Math.min(
        1,
        (width - 2 * MARGIN_PX) / Math.max(1, own),
        (height - 2 * MARGIN_PX) / Math.max(1, tall),
      )
      return Math.max(MIN_SCALE, scale)
    }
    const centre = (scale: number, x: number, y: number) => {
      const { width, height } = box()
      view.current = { scale, x: width / 2 - x * scale, y: height / 2 - y * scale }
      apply()
    }
    const fit = () => centre(fitting(), latestSize.current.width / 2, latestSize.current.height / 2)
    return {
      fit,
      begin(middle) {
        if (middle === undefined || fitting() >= READABLE_SCALE) fit()
        else centre(WHOLE_SCALE, middle.x + middle.width / 2, middle.y + middle.height / 2)
      },
      zoom(factor) {
        const { width, height } = box()
        zoomAt(factor, width / 2, height / 2)
      },
      pan(x, y) {
        view.current = { ...view.current, x: view.current.x + x, y: view.current.y + y }
        apply()
      },
      reveal({ x, y, width, height }) {
        const { width: wide, height: high } = box()
        const { scale } = view.current
        const within = (start: number, length: number, at: number, room: number) => {
          const [from, to] = [at + start * scale, at + (start + length) * scale]
          if (from < MARGIN_PX) return at + MARGIN_PX - from
          return to > room - MARGIN_PX ? at - (to - room + MARGIN_PX) : at
        }
        view.current = {
          scale,
          x: within(x, width, view.current.x, wide),
          y: within(y, height, view.current.y, high),
        }
        apply()
      },
      wasDrag: () => isDrag.current,
    }
  }, [apply, frame, zoomAt])

  usePointers(frame, isDrag, api.pan, zoomAt)

  return api
}

/** Mouse wheels that report lines scroll this many pixels per line. */
const WHEEL_LINE_PX = 16
/** Zoom per pixel of wheel movement, as an exponent; a pinch on a touchpad arrives as a wheel with Ctrl. */
const WHEEL_ZOOM = 0.0016
const PINCH_ZOOM = 0.01

/** Pans by dragging, zooms by wheel and by two pointers. @param isDrag  set to whether the last press was a drag */
function usePointers(
  frame: RefObject<HTMLElement | null>,
  isDrag: RefObject<boolean>,
  pan: PanZoom['pan'],
  zoomAt: (factor: number, atX: number, atY: number) => void,
): void {
  useEffect(() => {
    const element = frame.current
    if (element === null) return
    const down = new Map<number, { x: number; y: number }>()
    let start: { x: number; y: number } | null = null
    const at = (event: { clientX: number; clientY: number }) => {
      const { left, top } = element.getBoundingClientRect()
      return { x: event.clientX - left, y: event.clientY - top }
    }
    const onWheel = (event: WheelEvent) => {
      event.preventDefault()
      const { x, y } = at(event)
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? WHEEL_LINE_PX : 1
      zoomAt(Math.exp(-event.deltaY * lines * (event.ctrlKey ? PINCH_ZOOM : WHEEL_ZOOM)), x, y)
    }
    const onDown = (event: PointerEvent) => {
      if (event.button !== 0) return
      down.set(event.pointerId, at(event))
      start = at(event)
      isDrag.current = false
    }
    const onMove = (event: PointerEvent) => {
      const before = down.get(event.pointerId)
      if (before === undefined || start === null) return
      const now = at(event)
      if (!isDrag.current && Math.hypot(now.x - start.x, now.y - start.y) < CLICK_SLOP_PX) return
      if (!isDrag.current) element.setPointerCapture(event.pointerId)
      isDrag.current = true
      const other = [...down].find(([id]) => id !== event.pointerId)?.[1]
      down.set(event.pointerId, now)
      if (other === undefined) pan(now.x - before.x, now.y - before.y)
      else {
        const length = Math.hypot(before.x - other.x, before.y - other.y)
        const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }
        pan((now.x - before.x) / 2, (now.y - before.y) / 2)
        if (length > 0) zoomAt(Math.hypot(now.x - other.x, now.y - other.y) / length, middle.x, middle.y)
      }
    }
    const onUp = (event: PointerEvent) => down.delete(event.pointerId)
    element.addEventListener('wheel', onWheel, { passive: false })
    element.addEventListener('pointerdown', onDown)
    element.addEventListener('pointermove', onMove)
    element.addEventListener('pointerup', onUp)
    element.addEventListener('pointercancel', onUp)
    return () => {
      element.removeEventListener('wheel', onWheel)
      element.removeEventListener('pointerdown', onDown)
      element.removeEventListener('pointermove', onMove)
      element.removeEventListener('pointerup', onUp)
      element.removeEventListener('pointercancel', onUp)
    }
  }, [frame, isDrag, pan, zoomAt])
}
