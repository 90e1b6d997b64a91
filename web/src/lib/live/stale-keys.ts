import { CALM_MS, QUIET_MS, type StaleKey, type Topic } from './topics'

interface Timers {
  now(): number
  set(run: () => void, ms: number): unknown
  clear(timer: unknown): void
}

/** How long to wait for a response. A hidden page may delay it for ever. Milliseconds. */
const MAX_WAIT_MS = 8_000

interface Waiting {
  keys: Map<string, StaleKey>
  /** Whether all of them may wait a moment. */
  isCalm: boolean
  /** `null` while the last refresh of the topic is still running. */
  timer: unknown
}

/**
 * Collects stale keys and refreshes them: at once if the topic was quiet, otherwise when its interval is over. However many changes arrive, a
 * topic is refreshed at most once per `QUIET_MS` and waits no longer than that. The exception is a refresh that is still running: refetching
 * would cancel it, and with a slow server nothing would ever be shown.
 *
 * @param refresh  may return a promise that resolves with the responses
 */
export function createStaleKeys(refresh: (keys: StaleKey[]) => unknown, timers: Timers = BROWSER) {
  const waiting = new Map<Topic, Waiting>()
  const lastAt = new Map<Topic, number>()
  const asked = new Set<Topic>()

  const start = (topic: Topic, held: Waiting) => {
    const wait = (lastAt.get(topic) ?? Number.NEGATIVE_INFINITY) + QUIET_MS[topic] - timers.now()
    // Even a quiet topic waits for one turn of the event loop, so that entries that arrive together cause one refresh.
    const least = held.isCalm ? CALM_MS[topic] : 0
    held.timer = timers.set(() => hand(topic, held), Math.max(least, wait))
  }

  const hand = (topic: Topic, { keys }: Waiting) => {
    waiting.delete(topic)
    lastAt.set(topic, timers.now())
    const answers = refresh([...keys.values()])
    if (!(answers instanceof Promise)) return
    asked.add(topic)
    let isOver = false
    const answered = () => {
      if (isOver) return
      isOver = true
      timers.clear(patience)
      asked.delete(topic)
      const held = waiting.get(topic)
      if (held !== undefined) start(topic, held)
    }
    const patience = timers.set(answered, MAX_WAIT_MS)
    answers.then(answered, answered)
  }

  return {
    /** Marks a key as stale. @param isCalm  whether the change may wait, so that other topics are refreshed first */
    add(key: StaleKey, isCalm = false): void {
      const [topic] = key
      const held = waiting.get(topic)
      if (held !== undefined) {
        held.keys.set(key.join(' '), key)
        if (!held.isCalm || isCalm) return
        held.isCalm = false
        if (held.timer === null) return
        timers.clear(held.timer)
        start(topic, held)
        return
      }
      const fresh: Waiting = { keys: new Map([[key.join(' '), key]]), isCalm, timer: null }
      waiting.set(topic, fresh)
      if (!asked.has(topic)) start(topic, fresh)
    },
    clear(): void {
      for (const { timer } of waiting.values()) timers.clear(timer)
      waiting.clear()
    },
  }
}

const BROWSER: Timers = {
  now: () => performance.now(),
  set: (run, ms) => setTimeout(run, ms),
  clear: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
}
