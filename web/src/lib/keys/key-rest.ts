import { useLayoutEffect, useRef, useSyncExternalStore } from 'react'

/** How long shortcuts pause after the thing under them was replaced, so that a person can notice. Milliseconds. */
const REST_MS = 600

let restsUntil = 0
/** ID of the thing that has just appeared. */
let replaced = ''
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()
const tellAll = () => {
  for (const tell of listeners) tell()
}

/** Whether shortcuts that change something are paused. */
export const areKeysResting = (): boolean => performance.now() < restsUntil

/** Pauses shortcuts that change something, because they would act on something that has just appeared. */
function restKeys(current: string): void {
  replaced = current
  restsUntil = performance.now() + REST_MS
  clearTimeout(timer)
  // A timer may fire slightly early.
  timer = setTimeout(tellAll, REST_MS + 10)
  tellAll()
}

/** Whether shortcuts are paused because `id` has just appeared. Its buttons pause too, because it may be under the pointer; other buttons don't. */
export const useRestsFor = (id: string): boolean =>
  useSyncExternalStore(subscribe, () => replaced === id && areKeysResting())

function subscribe(tell: () => void): () => void {
  listeners.add(tell)
  return () => listeners.delete(tell)
}

/**
 * Pauses shortcuts when the thing that they act on was replaced: by an answer, by a change of the record, or because it has just appeared.
 *
 * @param current   ID of the thing that shortcuts act on now
 * @param isChosen  whether the person selected it themselves
 */
export function useRestWhenReplaced(current: string | undefined, isChosen: boolean): void {
  const was = useRef<string | undefined>(undefined)
  // Before the next key press can arrive.
  useLayoutEffect(() => {
    if (was.current === current) return
    was.current = current
    if (current !== undefined && !isChosen) restKeys(current)
  }, [current, isChosen])
}
