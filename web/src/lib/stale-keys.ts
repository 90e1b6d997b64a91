import { CALM_MS, QUIET_MS, type StaleKey, type Topic } from './topics'

interface Timers {
  now(): number
  set(run: () => void, ms: number): unknown
  clear(timer: unknown): void
}

/** An answer that takes longer is not waited for: a page that nobody sees may hold it back for ever. */
const ANSWER_MS = 8_000

interface Waiting {
  keys: Map<string, StaleKey>
  /** All of them are news that may wait a moment. */
  isCalm: boolean
  /** `null` while the last look at the topic is not answered yet. */
  timer: unknown
}

/**
 * Gathers keys whose answers are old and hands them out: at once when the topic was quiet, else when its time is over. However many changes
 * come, a topic is asked for again at most once in `QUIET_MS`, and never waits longer than that, but for an answer that is still on its way:
 * asking anew would break it off, and with a slow server nothing would ever be shown.
 *
 * @param refresh  may give a promise of when the answers are there
 */
export function createStaleKeys(refresh: (keys: StaleKey[]) => unknown, timers: Timers = BROWSER) {
  const waiting = new Map<Topic, Waiting>()
  const lastAt = new Map<Topic, number>()
  const asked = new Set<Topic>()

  const start = (topic: Topic, held: Waiting) => {
    const wait = (lastAt.get(topic) ?? Number.NEGATIVE_INFINITY) + QUIET_MS[topic] - timers.now()
    // One turn of the loop even when it was quiet: entries that came together are one look.
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
    const patience = timers.set(answered, ANSWER_MS)
    answers.then(answered, answered)
  }

  return {
    /** @param isCalm  what brought it is dull: other topics may be asked for before */
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
