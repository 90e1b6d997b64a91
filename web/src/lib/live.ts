import type { QueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { isAppError } from '../../../src/domain/errors'
import type { FeedSeq } from '../../../src/domain/ids'
import { client } from './api'
import { noticeEntry } from './held-moves'
import { createStaleKeys } from './stale-keys'
import { isCalm, type StaleKey, staleBy } from './topics'

/** Whether the page hears of changes. `since`: milliseconds since the epoch. */
export type LiveState =
  | { kind: 'connecting' }
  | { kind: 'live' }
  /** Nobody looks: the page stopped listening, and will go on where it was. */
  | { kind: 'asleep'; since: number }
  | { kind: 'disconnected'; since: number; reason: string }

let state: LiveState = { kind: 'connecting' }
const listeners = new Set<() => void>()

function setState(next: LiveState): void {
  // The moment of the loss is the first failure's, not that of each new try.
  if (next.kind === 'disconnected' && state.kind === 'disconnected') next = { ...next, since: state.since }
  state = next
  for (const tell of listeners) tell()
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

/** After this long unseen a page stops listening: a browser has six connections for one server, and each page that listens holds one. */
const SLEEP_AFTER_MS = 30_000

/**
 * Asks again for what stands under a key. A question that is not broken off for the new one, since it has no answer yet or nobody looks, may
 * have read what was before the change: what it brings is asked for again behind it.
 */
async function askAgain(queries: QueryClient, queryKey: StaleKey): Promise<void> {
  const late = queries
    .getQueryCache()
    .findAll({ queryKey, fetchStatus: 'fetching', predicate: (one) => one.state.data === undefined || !one.isActive() })
  await Promise.all([queries.invalidateQueries({ queryKey }), ...late.map(({ promise }) => promise?.catch(() => {}))])
  if (late.length > 0) await queries.invalidateQueries({ queryKey, predicate: (one) => late.includes(one) })
}

/**
 * Follows the feed and makes what changed be asked for again. The cursor was read before the page's first request, so nothing lies between;
 * after a loss or a sleep it goes on behind the last entry heard. Ends when `signal` aborts.
 *
 * @param from        cursor to follow from
 * @param staysAwake  whether to go on while nobody sees the page (it notifies)
 */
export function followChanges(
  queries: QueryClient,
  from: FeedSeq,
  staysAwake: () => boolean,
  signal: AbortSignal,
): void {
  let cursor = from
  let connection: AbortController | null = null
  let sleepTimer: ReturnType<typeof setTimeout> | undefined
  const stale = createStaleKeys((keys) => Promise.all(keys.map((key) => askAgain(queries, key))))

  async function listen(): Promise<void> {
    const own = new AbortController()
    connection = own
    setState({ kind: 'connecting' })
    try {
      const entries = client.feed.follow(
        { after: cursor },
        {
          signal: own.signal,
          onOpen: () => {
            setState({ kind: 'live' })
            // What could not be had while the server was away is asked for again.
            void queries.refetchQueries({ type: 'active', predicate: ({ state: { status } }) => status === 'error' })
          },
          onRetry: (error) => setState({ kind: 'disconnected', since: Date.now(), reason: error.message }),
        },
      )
      for await (const entry of entries) {
        cursor = entry.seq
        noticeEntry(entry)
        for (const key of staleBy(entry)) stale.add(key, isCalm(entry.kind))
      }
    } catch (error) {
      // A cursor that the server does not know (the record was made anew): everything may have changed.
      const reason = error instanceof Error ? error.message : String(error)
      setState({ kind: 'disconnected', since: Date.now(), reason })
      if (isAppError(error) && error.code !== 'unauthorized') setTimeout(() => void restart(), 5_000)
    }
  }

  async function restart(): Promise<void> {
    if (signal.aborted) return
    try {
      cursor = (await client.login.me({ signal })).feedSeq
      await queries.invalidateQueries()
      void listen()
    } catch {
      setTimeout(() => void restart(), 5_000)
    }
  }

  function look(): void {
    clearTimeout(sleepTimer)
    if (document.visibilityState === 'visible') {
      if (connection === null) void listen()
      return
    }
    if (connection !== null && !staysAwake()) sleepTimer = setTimeout(sleep, SLEEP_AFTER_MS)
  }

  function sleep(): void {
    connection?.abort()
    connection = null
    setState({ kind: 'asleep', since: Date.now() })
  }

  document.addEventListener('visibilitychange', look)
  signal.addEventListener('abort', () => {
    document.removeEventListener('visibilitychange', look)
    clearTimeout(sleepTimer)
    stale.clear()
    connection?.abort()
  })
  void listen()
}
