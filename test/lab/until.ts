/**
 * How long a test waits for what ought to come, in milliseconds: a guard against hanging, not a measurement. A machine that others use as
 * well has been ten times slower than a quiet one.
 */
export const PATIENCE_MS = 180_000

/** Between two looks, in milliseconds: at first, and where it takes long. */
const LOOK_MS = { least: 1, most: 200 }
/** A condition that takes long to ask, as one that starts a process, is asked again after this at most. */
const SLOW_LOOK_MS = 1_000

/** A pause is this part of the time that was waited, … */
const PART_OF_WAIT = 1 / 8
/** … and this many times as long as a look takes: most looks ask a server, which keeps a core busy on both sides. */
const TIMES_LOOK = 4

/**
 * Resolves as soon as `condition` gives something other than `undefined` or `false`. Looks at once, then less often the longer it takes
 * and the longer a look itself takes: whoever waits must not keep a core busy.
 *
 * @throws Error naming `what` when it did not come true within `timeoutMs`.
 */
export async function until<T>(
  what: string,
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = PATIENCE_MS,
): Promise<T> {
  const beganAt = performance.now()
  for (;;) {
    const askedAt = performance.now()
    const value = await condition()
    if (value !== undefined && value !== false) return value
    const now = performance.now()
    if (now - beganAt > timeoutMs) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`)
    const pause = Math.min(LOOK_MS.most, Math.max(LOOK_MS.least, (now - beganAt) * PART_OF_WAIT))
    await Bun.sleep(Math.max(pause, Math.min(SLOW_LOOK_MS, TIMES_LOOK * (now - askedAt))))
  }
}
