import { useEffect, useRef, useState } from 'react'

/** Milliseconds between two changes of what is asked for, while one scrolls fast. */
const PAUSE_MS = 80

/** Pages to ask for: those that are seen, at once after a rest, and else at most every so often, so that a leap does not ask for all between. */
export function useWantedPages(seen: readonly number[]): readonly number[] {
  const [wanted, setWanted] = useState<readonly number[]>(seen)
  const changedAt = useRef(0)
  const key = seen.join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list is made anew at each drawing; its numbers say whether it changed
  useEffect(() => {
    const rest = changedAt.current + PAUSE_MS - performance.now()
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
