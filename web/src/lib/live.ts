import type { QueryClient } from '@tanstack/react-query'
import { isAppError } from '../../../src/domain/errors'
import type { FeedSeq } from '../../../src/domain/ids'
import { client } from './api'
import { noticeEntry } from './held-moves'
import { setState } from './live-state'
import { type Hearer, shareFeed } from './share-feed'
import { createStaleKeys } from './stale-keys'
import { isCalm, type StaleKey, staleBy, TOPICS } from './topics'

/** After this long unseen a page stops listening: what it shows is asked for when somebody looks again. */
const SLEEP_AFTER_MS = 30_000
/** Between two tries to begin again where the server does not know the cursor. */
const RESTART_MS = 5_000

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

/** Follows the feed over a connection of its own. */
async function listen(after: FeedSeq, hear: Hearer, signal: AbortSignal): Promise<void> {
  let cursor = after
  const lost = (error: unknown) =>
    hear.state({
      kind: 'disconnected',
      since: Date.now(),
      reason: error instanceof Error ? error.message : String(error),
    })
  while (!signal.aborted) {
    hear.state({ kind: 'connecting' })
    try {
      const entries = client.feed.follow(
        { after: cursor },
        { signal, onOpen: () => hear.state({ kind: 'live' }), onRetry: lost },
      )
      for await (const entry of entries) {
        cursor = entry.seq
        hear.entry(entry)
      }
    } catch (error) {
      if (signal.aborted) return
      lost(error)
      if (!isAppError(error) || error.code === 'unauthorized') return
      // A cursor that the server does not know: the record was made anew.
      const at = await placeOfRecord(signal)
      if (at === null) return
      cursor = at
      hear.anew(at)
    }
  }
}

/** Where the feed stands now, as soon as the server says it. `null` when nobody wants to know any more, or the login ended. */
async function placeOfRecord(signal: AbortSignal): Promise<FeedSeq | null> {
  for (;;) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, RESTART_MS)
      signal.addEventListener('abort', () => {
        clearTimeout(timer)
        resolve()
      })
    })
    if (signal.aborted) return null
    try {
      return (await client.login.me({ signal })).feedSeq
    } catch (error) {
      if (isAppError(error) && error.code === 'unauthorized') return null
    }
  }
}

/**
 * Makes what changed be asked for again. The cursor was read before the page's first request, so nothing lies between; after a loss, a sleep
 * or a rest in the browser's cache it goes on behind the last entry heard. Ends when `signal` aborts.
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
  let awake: AbortController | null = null
  let sleepTimer: ReturnType<typeof setTimeout> | undefined
  const stale = createStaleKeys((keys) => Promise.all(keys.map((key) => askAgain(queries, key))))

  const hear: Hearer = {
    entry(entry) {
      cursor = entry.seq
      noticeEntry(entry)
      for (const key of staleBy(entry)) stale.add(key, isCalm(entry.kind))
    },
    state(next) {
      // What could not be had while the server was away is asked for again.
      if (setState(next) && next.kind === 'live')
        void queries.refetchQueries({ type: 'active', predicate: ({ state: { status } }) => status === 'error' })
    },
    anew(at) {
      cursor = at
      for (const topic of TOPICS) stale.add([topic])
      void queries.invalidateQueries({
        predicate: ({ queryKey }) => !(TOPICS as readonly unknown[]).includes(queryKey[0]),
      })
    },
    // An answer that says so leads to the door.
    out: () => void client.login.me().catch(() => undefined),
  }

  function wake(): void {
    if (awake !== null) return
    awake = new AbortController()
    shareFeed(cursor, (...given) => void listen(...given), hear, awake.signal)
  }

  function rest(): void {
    clearTimeout(sleepTimer)
    awake?.abort()
    awake = null
    setState({ kind: 'asleep', since: Date.now() })
  }

  function look(): void {
    clearTimeout(sleepTimer)
    if (document.visibilityState === 'visible') wake()
    else if (awake !== null && !staysAwake()) sleepTimer = setTimeout(rest, SLEEP_AFTER_MS)
  }

  /** A page that was left and is kept by the browser would keep its connection, and there are only six. */
  const hide = () => rest()
  const show = ({ persisted }: PageTransitionEvent) => {
    if (!persisted) return
    wake()
    look()
  }
  document.addEventListener('visibilitychange', look)
  addEventListener('pagehide', hide)
  addEventListener('pageshow', show)
  signal.addEventListener('abort', () => {
    document.removeEventListener('visibilitychange', look)
    removeEventListener('pagehide', hide)
    removeEventListener('pageshow', show)
    clearTimeout(sleepTimer)
    stale.clear()
    awake?.abort()
  })
  wake()
  look()
}
