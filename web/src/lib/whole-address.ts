import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useGo } from './links'

/**
 * Replaces an address with a shortened ID by the address with the full ID. The feed uses full IDs, and people copy the address.
 *
 * @param whole  the full ID; `undefined` until it is known
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
