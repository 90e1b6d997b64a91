import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import { flushSync } from 'react-dom'
import { AnchoredList } from '../../lib/session-list'

export interface ListView {
  list: AnchoredList
  /** Of the element that scrolls. */
  scroller: RefObject<HTMLDivElement | null>
  /** Of the element that is as high as the whole list. */
  sizer: RefObject<HTMLDivElement | null>
  /** Put on each row's element; its `data-number` says which it is. */
  row: (element: HTMLElement | null) => (() => void) | undefined
  /** Whether the person sees it: it may stand behind another view of the page. */
  isSeen(): boolean
}

/**
 * Draws a list's rows where they belong: measures those that are drawn before anyone sees them, and scrolls so that what the person looks at
 * stays in place. Libraries for this keep the place of the first row of all; here rows without height, and rows of pages that come late, are
 * the common case.
 */
export function useList(): ListView {
  const [list] = useState(() => new AnchoredList())
  const scroller = useRef<HTMLDivElement>(null)
  const sizer = useRef<HTMLDivElement>(null)
  const rows = useRef(new Set<HTMLElement>())
  const observer = useRef<ResizeObserver | null>(null)
  /** Where we left the scroller; `null` while nobody sees it, since browsers forget the place of what is not drawn. */
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
    // Scrolled by something whose event is still to come: a search of the browser's, a focus.
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

  // After each drawing, before it is seen.
  useLayoutEffect(settle)

  useEffect(() => {
    const element = scroller.current
    if (element === null) return
    const onScroll = () => {
      if (leftAt.current === null) return
      leftAt.current = element.scrollTop
      list.scrolled(element.scrollTop)
    }
    // A row that was opened, a picture that came, another width: drawn anew before it is seen.
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
