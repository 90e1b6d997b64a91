import type { FeedEntry } from '../../../src/api/contract/wire'
import type { FeedSeq } from '../../../src/domain/ids'
import type { LiveState } from './live-state'

/** Who hears what the feed says. */
export interface Hearer {
  entry(entry: FeedEntry): void
  state(state: LiveState): void
  /** What lies between is not known: everything may have changed. It goes on behind `at`. */
  anew(at: FeedSeq): void
  /** The login may have ended. */
  out(): void
}

/** Follows the feed over a connection of its own until `signal` aborts. */
export type Listen = (after: FeedSeq, hear: Hearer, signal: AbortSignal) => void

/** What the tabs of one browser tell one another. */
type Word =
  /** A tab asks what it has missed. */
  | { kind: 'hello'; from: string; after: FeedSeq }
  /** The leader's answer. `entries`: all behind `after`; `null` = they are not kept any more. */
  | { kind: 'welcome'; to: string; at: FeedSeq; state: LiveState; entries: FeedEntry[] | null }
  /** A tab has become the leader. */
  | { kind: 'leads' }
  | { kind: 'entry'; entry: FeedEntry }
  | { kind: 'state'; state: LiveState }
  | { kind: 'anew'; at: FeedSeq }
  /** Somebody ended the login, which is that of all tabs. */
  | { kind: 'out' }

/** Name of the lock and of the channel; both are of this origin alone. */
const NAME = 'lodeline.feed'
/** Entries that each tab keeps for those that come a little later. */
const KEPT = 500
/** A leader that does not answer for so long hangs, or was frozen: a tab that somebody looks at takes its place. Milliseconds. */
const PATIENCE_MS = 3_000
/** How often a tab that somebody looks at asks whether the leader is there. Milliseconds. */
const ASK_MS = 10_000

/** Has the other tabs of this browser look whether they are still logged in. */
export function tellLogOut(): void {
  const channel = new BroadcastChannel(NAME)
  channel.postMessage({ kind: 'out' } satisfies Word)
  channel.close()
}

/**
 * Follows the feed over one connection for all tabs of a browser, which has only six for one server. The tab that holds the lock leads: it
 * listens, and tells the others. The browser gives the lock to the next when a tab is closed or crashes, leaves, or sleeps; that one goes
 * on behind what it heard last, and the others ask it for what they missed. No tab hears an entry twice, and none misses one.
 *
 * A worker that all tabs share would need a policy for trusted types. In a page without locks (over plain HTTP from another machine) each
 * tab listens for itself.
 */
export function shareFeed(from: FeedSeq, listen: Listen, hear: Hearer, signal: AbortSignal): void {
  if (!('locks' in navigator)) {
    listen(from, hear, signal)
    return
  }
  const me = crypto.randomUUID()
  const channel = new BroadcastChannel(NAME)
  const say = (word: Word) => {
    if (!signal.aborted) channel.postMessage(word)
  }
  let cursor = from
  let state: LiveState = { kind: 'connecting' }
  /** All entries behind `keptFrom` that were heard. */
  let kept: FeedEntry[] = []
  let keptFrom = from
  /** While it leads. */
  let leading: AbortController | null = null
  /** The leader has told what came before: what it says now follows without a gap. */
  let isCaughtUp = false
  let waiting = new AbortController()
  let patience: ReturnType<typeof setTimeout> | undefined

  function takeEntry(entry: FeedEntry): void {
    if (entry.seq <= cursor) return
    cursor = entry.seq
    kept.push(entry)
    if (kept.length > 2 * KEPT) {
      keptFrom = kept[KEPT - 1]?.seq ?? keptFrom
      kept = kept.slice(KEPT)
    }
    hear.entry(entry)
  }
  function takeState(next: LiveState): void {
    state = next
    hear.state(next)
  }
  function takeAnew(at: FeedSeq): void {
    cursor = at
    kept = []
    keptFrom = at
    hear.anew(at)
  }

  /** Asks the leader for what came behind `cursor`. */
  function greet(): void {
    if (leading !== null) return
    say({ kind: 'hello', from: me, after: cursor })
    patience ??= setTimeout(() => {
      patience = undefined
      if (document.visibilityState === 'visible') wantLead(true)
    }, PATIENCE_MS)
  }

  function answer({ from: to, after }: Extract<Word, { kind: 'hello' }>): void {
    // One that is ahead heard the leader before, or knows a record that was made anew since.
    const isKnown = after >= keptFrom && after <= cursor
    const entries = isKnown ? kept.filter(({ seq }) => seq > after) : null
    say({ kind: 'welcome', to, at: cursor, state, entries })
  }

  channel.onmessage = ({ data }: MessageEvent<Word>) => {
    if (signal.aborted) return
    if (data.kind === 'out') {
      hear.out()
      return
    }
    if (leading !== null) {
      if (data.kind === 'hello') answer(data)
      return
    }
    switch (data.kind) {
      case 'leads':
        isCaughtUp = false
        greet()
        break
      case 'welcome':
        if (data.to !== me) break
        clearTimeout(patience)
        patience = undefined
        isCaughtUp = true
        if (data.entries === null) takeAnew(data.at)
        else data.entries.forEach(takeEntry)
        takeState(data.state)
        break
      case 'entry':
        // Before that the welcome brings it, with those before it.
        if (isCaughtUp) takeEntry(data.entry)
        break
      case 'state':
        if (isCaughtUp) takeState(data.state)
        break
      case 'anew':
        if (isCaughtUp) takeAnew(data.at)
        break
    }
  }

  function lead(): Promise<void> {
    const own = new AbortController()
    leading = own
    clearTimeout(patience)
    patience = undefined
    const told: Hearer = {
      entry(entry) {
        takeEntry(entry)
        say({ kind: 'entry', entry })
      },
      state(next) {
        takeState(next)
        say({ kind: 'state', state: next })
      },
      anew(at) {
        takeAnew(at)
        say({ kind: 'anew', at })
      },
      out: hear.out,
    }
    say({ kind: 'leads' })
    const { promise, resolve } = Promise.withResolvers<void>()
    own.signal.addEventListener('abort', () => resolve())
    listen(cursor, told, own.signal)
    return promise
  }

  /** Waits for the lock, or takes it from a leader that hangs. */
  function wantLead(takes: boolean): void {
    waiting.abort()
    const own = new AbortController()
    waiting = own
    const isOver = () => signal.aborted || own.signal.aborted
    navigator.locks
      .request(NAME, takes ? { steal: true } : { signal: own.signal }, () => (isOver() ? undefined : lead()))
      .catch(() => {
        // Another tab took it, since this one did not answer.
        if (isOver()) return
        stopLeading()
        isCaughtUp = false
        wantLead(false)
        greet()
      })
  }

  function stopLeading(): void {
    leading?.abort()
    leading = null
  }

  const look = () => {
    if (document.visibilityState === 'visible') greet()
  }
  document.addEventListener('visibilitychange', look)
  const asking = setInterval(look, ASK_MS)
  signal.addEventListener('abort', () => {
    document.removeEventListener('visibilitychange', look)
    clearInterval(asking)
    clearTimeout(patience)
    waiting.abort()
    stopLeading()
    channel.close()
  })
  hear.state(state)
  wantLead(false)
  greet()
}
