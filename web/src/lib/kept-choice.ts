import { useSyncExternalStore } from 'react'

/**
 * A choice of the person that this browser keeps. All that shows it changes with it.
 *
 * @param choices  the first is the usual one, of which nothing is kept
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
