import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import type { Span } from './lane-words'

/** What was brushed: a part of the time, and rows; both inclusive. */
export interface Brush extends Span {
  first: number
  last: number
}

/** Shorter drags are clicks, in pixels. */
const LEAST_DRAG_PX = 4

interface BrushOptions {
  rowCount: number
  rowPx: number
  partMs: number
  spanMs: number
  left: number
  width: number
  brush: Brush | null
  onBrush(brush: Brush | null): void
  now(): number
}

/** A drag over lanes, and arrow keys on the scale of times, choose a part of the time. */
export function useBrush({ rowCount, rowPx, partMs, spanMs, left, width, brush, onBrush, now }: BrushOptions) {
  const [drag, setDrag] = useState<{ x: number; y: number; at: number; row: number; isWide: boolean } | null>(null)
  const place = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    const x = Math.max(0, Math.min(width, event.clientX - box.left - left))
    const y = event.clientY - box.top + event.currentTarget.scrollTop
    return {
      isInside: event.clientX - box.left >= left && event.clientX - box.left <= left + width,
      at: now() - ((width - x) / width) * spanMs,
      row: Math.max(0, Math.min(rowCount - 1, Math.floor(y / rowPx))),
    }
  }
  const pointers = {
    onPointerDown(event: PointerEvent<HTMLElement>) {
      const { isInside, at, row } = place(event)
      // A finger scrolls.
      if (!isInside || event.button !== 0 || event.pointerType === 'touch') return
      event.preventDefault()
      event.currentTarget.setPointerCapture(event.pointerId)
      setDrag({ x: event.clientX, y: event.clientY, at, row, isWide: false })
    },
    onPointerMove(event: PointerEvent<HTMLElement>) {
      if (drag === null) return
      const isWide = drag.isWide || Math.hypot(event.clientX - drag.x, event.clientY - drag.y) >= LEAST_DRAG_PX
      if (!isWide) return
      if (!drag.isWide) setDrag({ ...drag, isWide })
      const { at, row } = place(event)
      onBrush({
        from: Math.min(at, drag.at),
        to: Math.max(at, drag.at),
        first: Math.min(row, drag.row),
        last: Math.max(row, drag.row),
      })
    },
    onPointerUp() {
      if (drag !== null && !drag.isWide) onBrush(null)
      setDrag(null)
    },
    onPointerCancel() {
      setDrag(null)
    },
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key]
    if (step === undefined && event.key !== 'Escape') return
    if (step === undefined && brush === null) return
    event.preventDefault()
    if (step === undefined) return onBrush(null)
    const [end, whole] = [now(), { first: 0, last: rowCount - 1 }]
    const begin = end - spanMs
    const from = brush?.from ?? end - partMs
    const to = brush?.to ?? end
    if (brush === null) return onBrush({ from, to, ...whole })
    if (event.shiftKey)
      return step < 0
        ? onBrush({ ...whole, from: Math.max(begin, from + step * partMs), to })
        : onBrush({ ...whole, from: Math.min(to - partMs, from + step * partMs), to })
    const moved = Math.max(begin - from, Math.min(end - to, step * partMs))
    onBrush({ ...whole, from: from + moved, to: to + moved })
  }
  return { pointers, onKeyDown }
}
