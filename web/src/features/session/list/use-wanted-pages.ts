import { useEffect, useRef, useState } from 'react'

/** Milliseconds between two changes of the wanted pages during fast scrolling. */
const MIN_INTERVAL_MS = 80

/** Pages to load: the visible ones. During fast scrolling they change at most once per interval, so that pages in between are not loaded. */
export function useWantedPages(seen: readonly number[]): readonly number[] {
  const [wanted, setWanted] = useState<readonly number[]>(seen)
  const changedAt = useRef(0)
  const key = seen.join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the array is new at each render; `key` says whether it changed
  useEffect(() => {
    const rest = changedAt.current + MIN_INTERVAL_MS - performance.now()
    const take = () => {
      changedAt.current = performance.now()
      setWanted((before) => (before.join(' ') === key ? before : seen))
    }
    if (rest <= 0) return take()
    const timer = setTimeout(take, rest)
    return () => clearTimeout(timer)
  }, [key])
  return wanted
}
