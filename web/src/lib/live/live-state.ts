import { useSyncExternalStore } from 'react'

/** Whether the page receives changes. `since`: milliseconds since the epoch. */
export type LiveState =
  | { kind: 'connecting' }
  | { kind: 'live' }
  /** The page was hidden for a while and stopped listening. It resumes where it was. */
  | { kind: 'asleep'; since: number }
  | { kind: 'disconnected'; since: number; reason: string }

let state: LiveState = { kind: 'connecting' }
const listeners = new Set<() => void>()

/** Sets the state. @returns whether its kind changed */
export function setState(next: LiveState): boolean {
  const isOther = next.kind !== state.kind
  // The connection was lost at the first failure, not at the latest retry.
  if (next.kind === 'disconnected' && state.kind === 'disconnected') next = { ...next, since: state.since }
  state = next
  for (const tell of listeners) tell()
  return isOther
}

/** The current state, kept up to date. */
export function useLive(): LiveState {
  return useSyncExternalStore(
    (tell) => {
      listeners.add(tell)
      return () => listeners.delete(tell)
    },
    () => state,
  )
}
