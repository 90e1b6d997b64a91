import type { QueryClient } from '@tanstack/react-query'
import { isAppError } from '#domain/errors'
import type { FeedSeq } from '#domain/ids'
import { client } from '../api'
import { noticePeople } from '../me'
import { noticeEntry } from './held-moves'
import { setState } from './live-state'
import { type Hearer, shareFeed } from './share-feed'
import { createStaleKeys } from './stale-keys'
import { isCalm, type StaleKey, staleBy, TOPICS } from './topics'

/** How long a hidden page keeps listening. Milliseconds. */
const SLEEP_AFTER_MS = 30_000
/** Delay between attempts to restart after the server rejected the cursor. Milliseconds. */
const RESTART_DELAY_MS = 5_000

/**
 * Refetches the queries under a key. A running fetch that TanStack Query does not cancel, because it has no data yet or is inactive, may have
 * read the state before the change. Such a query is fetched again afterwards.
 */
async function askAgain(queries: QueryClient, queryKey: StaleKey): Promise<void> {
  const late = queries
    .getQueryCache()
    .findAll({ queryKey, fetchStatus: 'fetching', predicate: (one) => one.state.data === undefined || !one.isActive() })
  await Promise.all([queries.invalidateQueries({ queryKey }), ...late.map(({ promise }) => promise?.catch(() => {}))])
  if (late.length > 0) await queries.invalidateQueries({ queryKey, predicate: (one) => late.includes(one) })
}

/** Follows the feed over its own connection. */
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
      // The server does not know the cursor: its record was recreated.
      const at = await placeOfRecord(signal)
      if (at === null) return
      cursor = at
      hear.anew(at)
    }
  }
}

/** The current end of the feed, retried until the server answers. `null` if `signal` aborted or the login ended. */
async function placeOfRecord(signal: AbortSignal): Promise<FeedSeq | null> {
  for (;;) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, RESTART_DELAY_MS)
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
 * Refetches whatever the feed reports as changed. The cursor was read before the page's first request, so no change is missed. After a lost
 * connection, a sleep or a stay in the browser's back-forward cache it resumes after the last received entry. Stops when `signal` aborts.
 *
 * @param from        cursor to follow from
 * @param staysAwake  whether to keep listening while the page is hidden, because it shows notifications
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
      noticePeople(entry)
      for (const key of staleBy(entry)) stale.add(key, isCalm(entry.kind))
    },
    state(next) {
      // Queries that failed while the server was unreachable are fetched again.
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
    // A response with status 401 shows the login page.
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

  /** A page in the back-forward cache would keep its connection, and a browser has only six per server. */
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
