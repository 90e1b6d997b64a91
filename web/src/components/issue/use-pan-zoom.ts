import { type RefObject, useCallback, useEffect, useMemo, useRef } from 'react'

const MIN = 0.08
const MAX = 2.5
/** Below this words are too small. */
const READABLE = 0.6
/** A press that moves less than this is a click. */
const SLOP = 4
const MARGIN = 24

interface View {
  x: number
  y: number
  scale: number
}

type Box = { x: number; y: number; width: number; height: number }

export interface PanZoom {
  /** All of it in sight. */
  fit(): void
  /** All of it where that can be read, else what is round `middle`. */
  begin(middle: Box | undefined): void
  /** @param factor  above 1 = nearer, around the middle */
  zoom(factor: number): void
  pan(x: number, y: number): void
  /** Brings a box of the picture into sight. */
  reveal(box: Box): void
  /** Whether the press that ends now was a drag. */
  wasDrag(): boolean
}

/**
 * Moves a picture by pointer, wheel, pinch and calls. The picture's element is moved directly: nothing is drawn anew by React.
 *
 * @param size  of the whole picture
 */
export function usePanZoom(
  frame: RefObject<HTMLElement | null>,
  picture: RefObject<SVGSVGElement | null>,
  size: { width: number; height: number },
): PanZoom {
  const view = useRef<View>({ x: MARGIN, y: MARGIN, scale: 1 })
  const latestSize = useRef(size)
  latestSize.current = size
  const isDrag = useRef(false)

  const apply = useCallback(() => {
    const { x, y, scale } = view.current
    if (picture.current === null) return
    // By style: the picture's own transform would lay out all its words anew at each step.
    picture.current.style.transform = `translate(${x}px, ${y}px) scale(${scale})`
    frame.current?.toggleAttribute('data-far', scale < READABLE - 0.15)
  }, [frame, picture])

  const zoomAt = useCallback(
    (factor: number, atX: number, atY: number) => {
      const { x, y, scale } = view.current
      const next = Math.min(MAX, Math.max(MIN, scale * factor))
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
      const scale = Math.min(1, (width - 2 * MARGIN) / Math.max(1, own), (height - 2 * MARGIN) / Math.max(1, tall))
      return Math.max(MIN, scale)
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
        if (middle === undefined || fitting() >= READABLE) fit()
        else centre(READABLE + 0.1, middle.x + middle.width / 2, middle.y + middle.height / 2)
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
          if (from < MARGIN) return at + MARGIN - from
          return to > room - MARGIN ? at - (to - room + MARGIN) : at
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
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1
      zoomAt(Math.exp(-event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.0016)), x, y)
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
      if (!isDrag.current && Math.hypot(now.x - start.x, now.y - start.y) < SLOP) return
      if (!isDrag.current) element.setPointerCapture(event.pointerId)
      isDrag.current = true
      const other = [...down].find(([id]) => id !== event.pointerId)?.[1]
      down.set(event.pointerId, now)
      if (other === undefined) api.pan(now.x - before.x, now.y - before.y)
      else {
        const length = Math.hypot(before.x - other.x, before.y - other.y)
        const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }
        api.pan((now.x - before.x) / 2, (now.y - before.y) / 2)
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
  }, [frame, api, zoomAt])

  return api
}
