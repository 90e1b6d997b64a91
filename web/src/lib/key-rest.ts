import { useLayoutEffect, useRef, useSyncExternalStore } from 'react'

/** So long a person needs to see that another thing stands where they are. Milliseconds. */
const REST_MS = 600

let restsUntil = 0
/** What they rest for. */
let replaced = ''
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()
const tellAll = () => {
  for (const tell of listeners) tell()
}

export const areKeysResting = (): boolean => performance.now() < restsUntil

/** Keys that change something do nothing for a moment: what they would act on has just become another thing. */
function restKeys(current: string): void {
  replaced = current
  restsUntil = performance.now() + REST_MS
  clearTimeout(timer)
  // A timer may come a little early.
  timer = setTimeout(tellAll, REST_MS + 10)
  tellAll()
}

/** Whether keys rest because `id` has come under them. Its buttons do so too: it may have come under the pointer. Those of others don't. */
export const useRestsFor = (id: string): boolean =>
  useSyncExternalStore(subscribe, () => replaced === id && areKeysResting())

function subscribe(tell: () => void): () => void {
  listeners.add(tell)
  return () => listeners.delete(tell)
}

/**
 * Lets keys rest when the thing that they act on was replaced: by an answer, by a change of the record, or because it has just appeared.
 *
 * @param current   what they act on now
 * @param isChosen  the person went to it, so they know which it is
 */
export function useRestWhenReplaced(current: string | undefined, isChosen: boolean): void {
  const was = useRef<string | undefined>(undefined)
  // Before the next key can come.
  useLayoutEffect(() => {
    if (was.current === current) return
    was.current = current
    if (current !== undefined && !isChosen) restKeys(current)
  }, [current, isChosen])
}
