import { type RefObject, useEffect, useRef, useState } from 'react'
import type { AnchoredList } from './session-list'

/** The current row of a conversation, which shortcuts act on. */
export interface RowCursor {
  /** Its number; `null` until the person chooses one. */
  current: number | null
  setCurrent(number: number): void
  /** Makes a row current, and focuses it once it is rendered. */
  focus(number: number): void
  /** The same, and scrolls the row into view. */
  moveTo(number: number): void
}

/** @param elements  the element whose descendants are the rows, each with its `data-number` */
export function useRowCursor(list: AnchoredList, elements: RefObject<HTMLElement | null>): RowCursor {
  const [current, setCurrent] = useState<number | null>(null)
  /** Number of the row that takes the focus once it is rendered. */
  const focusNext = useRef<number | null>(null)
  useEffect(() => {
    if (focusNext.current === null) return
    const element = elements.current?.querySelector<HTMLElement>(`[data-number="${focusNext.current}"]`)
    // The row may not be loaded yet.
    if (element === null || element === undefined) return
    focusNext.current = null
    element.focus({ preventScroll: true })
  })
  const focus = (number: number) => {
    focusNext.current = number
    setCurrent(number)
  }
  return {
    current,
    setCurrent,
    focus,
    moveTo(number) {
      focus(number)
      list.reveal(number)
    },
  }
}
