import type { FeedEntry } from '#api/contract/wire'
import type { FeedSeq } from '#domain/ids'
import type { LiveState } from './live-state'

/** Receives what the feed reports. */
export interface Hearer {
  entry(entry: FeedEntry): void
  state(state: LiveState): void
  /** Entries were missed, so everything may have changed. The feed continues after `at`. */
  anew(at: FeedSeq): void
  /** The login may have ended. */
  out(): void
}

/** Follows the feed over its own connection until `signal` aborts. */
export type Listen = (after: FeedSeq, hear: Hearer, signal: AbortSignal) => void

/** What the tabs of one browser send one another. */
type TabMessage =
  /** A tab asks for the entries that it missed. */
  | { kind: 'hello'; from: string; after: FeedSeq }
  /** The leader's answer. `entries`: all after `after`; `null` if the leader no longer has them. */
  | { kind: 'welcome'; to: string; at: FeedSeq; state: LiveState; entries: FeedEntry[] | null }
  /** A tab has become the leader. */
  | { kind: 'leads' }
  | { kind: 'entry'; entry: FeedEntry }
  | { kind: 'state'; state: LiveState }
  | { kind: 'anew'; at: FeedSeq }
  /** Somebody logged out, which affects all tabs. */
  | { kind: 'out' }

/** Name of the lock and of the channel. Both are private to this origin. */
const FEED_CHANNEL = 'lodeline.feed'
/** Entries that each tab keeps, at least, for tabs that open later. */
const KEPT_ENTRIES = 500
/** A leader that does not answer for this long is frozen, and a visible tab takes over. Milliseconds. */
const LEADER_TIMEOUT_MS = 3_000
/** How often a visible tab checks that the leader answers. Milliseconds. */
const LEADER_CHECK_MS = 10_000

/** The entries that a tab has received: each once, the latest kept for tabs that open later. */
class HeardEntries {
  /** Place of the last received entry. */
  cursor: FeedSeq
  /** All received entries after `keptFrom`. */
  private kept: FeedEntry[] = []
  private keptFrom: FeedSeq

  constructor(from: FeedSeq) {
    this.cursor = from
    this.keptFrom = from
  }

  /** Takes an entry. @returns whether it is new */
  add(entry: FeedEntry): boolean {
    if (entry.seq <= this.cursor) return false
    this.cursor = entry.seq
    this.kept.push(entry)
    if (this.kept.length > 2 * KEPT_ENTRIES) {
      this.keptFrom = this.kept[KEPT_ENTRIES - 1]?.seq ?? this.keptFrom
      this.kept = this.kept.slice(KEPT_ENTRIES)
    }
    return true
  }

  /** Continues after `at`, since entries were missed or the record was recreated. */
  restart(at: FeedSeq): void {
    this.cursor = at
    this.kept = []
    this.keptFrom = at
  }

  /** The entries after a cursor; `null` if they are not kept, or the cursor is of an earlier leader or record. */
  after(cursor: FeedSeq): FeedEntry[] | null {
    const isKnown = cursor >= this.keptFrom && cursor <= this.cursor
    return isKnown ? this.kept.filter(({ seq }) => seq > cursor) : null
  }
}

/** Makes the other tabs of this browser check whether they are still logged in. */
export function tellLogOut(): void {
  const channel = new BroadcastChannel(FEED_CHANNEL)
  channel.postMessage({ kind: 'out' } satisfies TabMessage)
  channel.close()
}

/**
 * Follows the feed over one connection for all tabs of a browser, which has only six per server. The tab that holds the lock is the leader:
 * it listens and forwards entries to the others. When it is closed, crashes or sleeps, the browser passes the lock to the next tab. That tab
 * resumes after the last entry it received, and the others ask it for what they missed. No tab receives an entry twice or misses one.
 *
 * A SharedWorker would need a Trusted Types policy. Pages without the Locks API (over plain HTTP from another host) each listen themselves.
 */
export function shareFeed(from: FeedSeq, listen: Listen, hear: Hearer, signal: AbortSignal): void {
  if (!('locks' in navigator)) {
    listen(from, hear, signal)
    return
  }
  const me = crypto.randomUUID()
  const channel = new BroadcastChannel(FEED_CHANNEL)
  const say = (message: TabMessage) => {
    if (!signal.aborted) channel.postMessage(message)
  }
  const heard = new HeardEntries(from)
  let state: LiveState = { kind: 'connecting' }
  /** Set while this tab is the leader. */
  let leading: AbortController | null = null
  /** Whether the leader has sent all earlier entries, so that its next entry follows without a gap. */
  let isCaughtUp = false
  let waiting = new AbortController()
  let patience: ReturnType<typeof setTimeout> | undefined

  function takeEntry(entry: FeedEntry): void {
    if (heard.add(entry)) hear.entry(entry)
  }
  function takeState(next: LiveState): void {
    state = next
    hear.state(next)
  }
  function takeAnew(at: FeedSeq): void {
    heard.restart(at)
    hear.anew(at)
  }

  /** Asks the leader for the entries that this tab missed. */
  function greet(): void {
    if (leading !== null) return
    say({ kind: 'hello', from: me, after: heard.cursor })
    patience ??= setTimeout(() => {
      patience = undefined
      if (document.visibilityState === 'visible') wantLead(true)
    }, LEADER_TIMEOUT_MS)
  }

  function answer({ from: to, after }: Extract<TabMessage, { kind: 'hello' }>): void {
    say({ kind: 'welcome', to, at: heard.cursor, state, entries: heard.after(after) })
  }

  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => {
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
        // Until then the welcome message brings it, with the entries before it.
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
    listen(heard.cursor, told, own.signal)
    return promise
  }

  /** Waits for the lock, or steals it from a frozen leader. */
  function wantLead(takes: boolean): void {
    waiting.abort()
    const own = new AbortController()
    waiting = own
    const isOver = () => signal.aborted || own.signal.aborted
    navigator.locks
      .request(FEED_CHANNEL, takes ? { steal: true } : { signal: own.signal }, () => (isOver() ? undefined : lead()))
      .catch(() => {
        // Another tab stole the lock because this one did not answer.
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
  const asking = setInterval(look, LEADER_CHECK_MS)
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
