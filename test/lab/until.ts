/** Between two looks, in milliseconds: at first, and where it takes long. */
const LOOK_MS = { least: 1, most: 100 }
/** A condition that takes long to ask, as one that starts a process, is asked again after this at most. */
const SLOW_LOOK_MS = 1_000

/**
 * Resolves as soon as `condition` gives something other than `undefined` or `false`. Looks at once, then less often the longer it takes
 * and the longer a look itself takes: whoever waits must not keep a core busy.
 *
 * @throws Error naming `what` when it did not come true within `timeoutMs`.
 */
export async function until<T>(
  what: string,
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = 30_000,
): Promise<T> {
  const beganAt = performance.now()
  for (;;) {
    const askedAt = performance.now()
    const value = await condition()
    if (value !== undefined && value !== false) return value
    const now = performance.now()
    if (now - beganAt > timeoutMs) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`)
    const pause = Math.min(LOOK_MS.most, Math.max(LOOK_MS.least, (now - beganAt) / 15))
    await Bun.sleep(Math.max(pause, Math.min(SLOW_LOOK_MS, 2 * (now - askedAt))))
  }
}
