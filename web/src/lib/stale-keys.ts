import { QUIET_MS, type StaleKey, type Topic } from './topics'

interface Timers {
  now(): number
  set(run: () => void, ms: number): unknown
  clear(timer: unknown): void
}

/**
 * Gathers keys whose answers are old and hands them out: at once when the topic was quiet, else when its time is over. However many changes
 * come, a topic is asked for again at most once in `QUIET_MS`, and never waits longer than that.
 */
export function createStaleKeys(refresh: (keys: StaleKey[]) => void, timers: Timers = BROWSER) {
  const waiting = new Map<Topic, { keys: Map<string, StaleKey>; timer: unknown }>()
  const lastAt = new Map<Topic, number>()

  const hand = (topic: Topic, keys: Map<string, StaleKey>) => {
    lastAt.set(topic, timers.now())
    refresh([...keys.values()])
  }

  return {
    add(key: StaleKey): void {
      const [topic] = key
      const held = waiting.get(topic)
      if (held !== undefined) {
        held.keys.set(key.join(' '), key)
        return
      }
      const keys = new Map([[key.join(' '), key]])
      const wait = (lastAt.get(topic) ?? Number.NEGATIVE_INFINITY) + QUIET_MS[topic] - timers.now()
      // One turn of the loop even when it was quiet: entries that came together are one look.
      const timer = timers.set(
        () => {
          waiting.delete(topic)
          hand(topic, keys)
        },
        Math.max(0, wait),
      )
      waiting.set(topic, { keys, timer })
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
