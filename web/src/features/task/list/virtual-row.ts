import type { Virtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import type { ListCursor } from '../../../lib/keys/list-cursor'

type Rows = Virtualizer<HTMLDivElement, Element>

/** Connects a virtual list with a cursor: a row that a shortcut leads to is rendered only after scrolling, and takes the focus then. */
export function useVirtualRows(list: Rows) {
  const wanted = useRef<number | null>(null)
  return {
    /** Scrolls to a row, which then takes the focus. */
    reveal(at: number): void {
      wanted.current = at
      list.scrollToIndex(at)
    },
    /** Ref callback of a row. */
    refOf:
      (index: number, cursor: ListCursor) =>
      (element: HTMLElement | null): void => {
        list.measureElement(element)
        if (element === null || index !== cursor.at) return
        cursor.row.current = element
        if (wanted.current !== index) return
        wanted.current = null
        element.focus({ preventScroll: true })
      },
  }
}
