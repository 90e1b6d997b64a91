import { useSyncExternalStore } from 'react'

/** Whether the page hears of changes. `since`: milliseconds since the epoch. */
export type LiveState =
  | { kind: 'connecting' }
  | { kind: 'live' }
  /** Nobody looks: the page stopped listening, and will go on where it was. */
  | { kind: 'asleep'; since: number }
  | { kind: 'disconnected'; since: number; reason: string }

let state: LiveState = { kind: 'connecting' }
const listeners = new Set<() => void>()

/** @returns whether that is another kind of state than before */
export function setState(next: LiveState): boolean {
  const isOther = next.kind !== state.kind
  // The moment of the loss is the first failure's, not that of each new try.
  if (next.kind === 'disconnected' && state.kind === 'disconnected') next = { ...next, since: state.since }
  state = next
  for (const tell of listeners) tell()
  return isOther
}

export function useLive(): LiveState {
  return useSyncExternalStore(
    (tell) => {
      listeners.add(tell)
      return () => listeners.delete(tell)
    },
    () => state,
  )
}
