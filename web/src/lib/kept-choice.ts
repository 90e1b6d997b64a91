import { useSyncExternalStore } from 'react'

/**
 * A preference that this browser stores. Every component that uses it is redrawn when it changes.
 *
 * @param choices  the first is the default, which is not stored
 */
export function keptChoice<Choice extends string>(key: string, choices: readonly [Choice, ...Choice[]]) {
  const listeners = new Set<() => void>()
  const read = (): Choice => choices.find((one) => one === localStorage.getItem(key)) ?? choices[0]
  const subscribe = (tell: () => void) => {
    listeners.add(tell)
    return () => listeners.delete(tell)
  }
  return {
    read,
    choose(next: Choice): void {
      if (next === choices[0]) localStorage.removeItem(key)
      else localStorage.setItem(key, next)
      for (const tell of listeners) tell()
    },
    useChoice: (): Choice => useSyncExternalStore(subscribe, read),
  }
}
