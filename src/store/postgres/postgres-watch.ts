/** Milliseconds between two looks. */
const TICK_MS = 500
/** A look that comes this much too late tells that this process stood still: answers may wait to be read. */
const STOOD_STILL_MS = 1_500

export interface Watch {
  /** From now on there is something to look at. */
  start(): void
  stop(): void
}

/**
 * Looks at something again and again while there is reason to, with one timer for all: a timer for each statement would cost more than
 * the look. It keeps no process alive.
 *
 * @param look  whether there is more to look at
 */
export function createWatch(look: (now: number) => boolean): Watch {
  let timer: ReturnType<typeof setInterval> | undefined
  let lookedAt = 0
  const stop = (): void => {
    clearInterval(timer)
    timer = undefined
  }
  return {
    stop,
    start() {
      if (timer !== undefined) return
      lookedAt = performance.now()
      timer = setInterval(() => {
        const now = performance.now()
        const isLate = now - lookedAt > TICK_MS + STOOD_STILL_MS
        lookedAt = now
        if (!isLate && !look(now)) stop()
      }, TICK_MS)
      timer.unref()
    },
  }
}
