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
  useSyncExternalStore(list.subscribe, list.getVersion)

  const measure = useCallback(() => {
    list.change((heights) => {
      let isChanged = false
      for (const element of rows.current)
        isChanged = heights.set(Number(element.dataset.number), element.offsetHeight) || isChanged
      return isChanged
    })
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
  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null || sizer.current === null) return
    list.setViewport(element.clientHeight)
    measure()
    sizer.current.style.height = `${list.height}px`
    const { top } = list
    if (Math.abs(element.scrollTop - top) >= 1) element.scrollTop = top
  })

  useEffect(() => {
    const element = scroller.current
    if (element === null) return
    const onScroll = () => list.scrolled(element.scrollTop)
    // A row that was opened, a picture that came, another width: drawn anew before it is seen.
    const resized = new ResizeObserver(() => {
      flushSync(() => {
        list.setViewport(element.clientHeight)
        measure()
      })
    })
    observer.current = resized
    resized.observe(element)
    for (const one of rows.current) resized.observe(one)
    element.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      observer.current = null
      resized.disconnect()
      element.removeEventListener('scroll', onScroll)
    }
  }, [list, measure])

  return { list, scroller, sizer, row }
}
