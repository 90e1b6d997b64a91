import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import { flushSync } from 'react-dom'
import { AnchoredList } from './session-list'

export interface ListView {
  list: AnchoredList
  /** Ref of the scrolling element. */
  scroller: RefObject<HTMLDivElement | null>
  /** Ref of the element that has the height of the whole list. */
  sizer: RefObject<HTMLDivElement | null>
  /** Ref callback of each row's element, whose `data-number` is the row's number. */
  row: (element: HTMLElement | null) => (() => void) | undefined
  /** Whether the list is visible; another view of the page may hide it. */
  isSeen(): boolean
}

/**
 * Places the rows of a list: measures rendered rows before they are painted, and scrolls so that whatever the person looks at stays in place.
 *
 * The other lists use TanStack Virtual. It lays out all rows behind the first changed one, so with a million rows one new line costs it 70 ms
 * and measuring the rows in view 35 to 45 ms. `RowHeights` takes 0.002 ms for either, and a live session has several of them a second.
 */
export function useList(): ListView {
  const [list] = useState(() => new AnchoredList())
  const scroller = useRef<HTMLDivElement>(null)
  const sizer = useRef<HTMLDivElement>(null)
  const rows = useRef(new Set<HTMLElement>())
  const observer = useRef<ResizeObserver | null>(null)
  /** The last scroll position; `null` while the list is hidden, because browsers then forget it. */
  const leftAt = useRef<number | null>(null)
  useSyncExternalStore(list.subscribe, list.getVersion)

  const isSeen = useCallback(() => (scroller.current?.clientHeight ?? 0) > 0, [])

  const settle = useCallback(() => {
    const element = scroller.current
    if (element === null || sizer.current === null) return
    if (element.clientHeight === 0) {
      leftAt.current = null
      return
    }
    // The browser has scrolled (find in page, focus) but not yet sent the event.
    if (leftAt.current !== null && Math.abs(element.scrollTop - leftAt.current) >= 1) list.scrolled(element.scrollTop)
    list.setViewport(element.clientHeight)
    list.change((heights) => {
      let isChanged = false
      for (const row of rows.current) isChanged = heights.set(Number(row.dataset.number), row.offsetHeight) || isChanged
      return isChanged
    })
    sizer.current.style.height = `${list.height}px`
    if (Math.abs(element.scrollTop - list.top) >= 1) element.scrollTop = list.top
    leftAt.current = element.scrollTop
  }, [list])

  const row = useCallback((element: HTMLElement | null) => {
    if (element === null) return undefined
    rows.current.add(element)
    observer.current?.observe(element)
    return () => {
      rows.current.delete(element)
      observer.current?.unobserve(element)
    }
  }, [])

  // After each render, before it is painted.
  useLayoutEffect(settle)

  useEffect(() => {
    const element = scroller.current
    if (element === null) return
    const onScroll = () => {
      if (leftAt.current === null) return
      leftAt.current = element.scrollTop
      list.scrolled(element.scrollTop)
    }
    // A row was opened, a picture was loaded, or the width changed: settle before it is painted.
    const resized = new ResizeObserver(() => flushSync(settle))
    observer.current = resized
    resized.observe(element)
    for (const one of rows.current) resized.observe(one)
    element.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      observer.current = null
      resized.disconnect()
      element.removeEventListener('scroll', onScroll)
    }
  }, [list, settle])

  return { list, scroller, sizer, row, isSeen }
}
