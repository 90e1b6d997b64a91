/**
 * Makes a function that asks for one thing, at once while nobody waits for an answer; what is asked for meanwhile is asked for together,
 * afterwards. So an answer is never older than its question.
 *
 * @param ask  answers in the order of what it is asked for
 */
export function gather<Key, Value>(ask: (keys: Key[]) => Promise<Value[]>): (key: Key) => Promise<Value> {
  let waiting: { key: Key; resolve(value: Value): void; reject(thrown: unknown): void }[] = []
  let isAsking = false

  async function askAll(): Promise<void> {
    isAsking = true
    while (waiting.length > 0) {
      const asked = waiting
      waiting = []
      try {
        const values = await ask(asked.map(({ key }) => key))
        for (const [at, { resolve }] of asked.entries()) resolve(values[at] as Value)
      } catch (thrown) {
        for (const { reject } of asked) reject(thrown)
      }
    }
    isAsking = false
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (!isAsking) void askAll()
    })
}
