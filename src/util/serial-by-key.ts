/**
 * Makes a function that runs pieces of work with the same key one after another, in the order in which they were given;
 * others run beside them. Nothing is kept of a key without work.
 */
export function serialByKey(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>()
  return (key, work) => {
    const before = last.get(key)
    const result = before === undefined ? work() : before.then(work, work)
    const settled = result.catch(() => {})
    last.set(key, settled)
    void settled.then(() => {
      if (last.get(key) === settled) last.delete(key)
    })
    return result
  }
}
