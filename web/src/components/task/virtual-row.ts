import type { Virtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import type { ListCursor } from '../../lib/list-cursor'

type Rows = Virtualizer<HTMLDivElement, Element>

/** Rows of a virtual list under a cursor: a row that a key leads to is on the page only after the list has scrolled, and gets the focus then. */
export function useVirtualRows(list: Rows) {
  const wanted = useRef<number | null>(null)
  return {
    /** For the cursor. */
    reveal(at: number): void {
      wanted.current = at
      list.scrollToIndex(at)
    },
    /** For each row. */
    refOf:
      (index: number, cursor: ListCursor) =>
      (element: HTMLDivElement | null): void => {
        list.measureElement(element)
        if (element === null || index !== cursor.at) return
        cursor.row.current = element
        if (wanted.current !== index) return
        wanted.current = null
        element.focus({ preventScroll: true })
      },
  }
}
