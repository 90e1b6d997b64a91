import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useGo } from './links'

/**
 * The address of a page that was opened by the beginning of an id gives way to that of the whole one: the feed speaks of whole ids, and the
 * address is what one copies.
 *
 * @param whole  `undefined` until it is known
 */
export function useWholeAddress<Id extends string>(
  id: string,
  whole: Id | undefined,
  pathOf: (id: Id) => string,
): void {
  const go = useGo()
  const { searchStr } = useLocation()
  useEffect(() => {
    if (whole !== undefined && whole !== id) go(pathOf(whole) + searchStr, { replace: true })
  }, [whole, id, go, searchStr, pathOf])
}
