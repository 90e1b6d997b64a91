import type { Logger } from './log'

export interface UpkeepOptions {
  /**
   * One look at a time. `change`: only because something changed; `time`: everything is due. It may answer whether there is something that
   * time alone may bring on, see `quietMs`.
   */
  check(cause: 'time' | 'change'): Promise<unknown>
  /** Milliseconds between two looks. The first one is at once. */
  everyMs: number
  /** Milliseconds between two looks for time while nothing changes and the last one answered `false`. Default: `everyMs`. */
  quietMs?: number
  /** Reports changes until it is stopped; left out = only time counts. */
  onChange?: (changed: () => void) => () => void
  /** Milliseconds from a change to its look. Changes within them share one. Default 50. */
  afterChangeMs?: number
  log: Pick<Logger, 'warn'>
  /** The line of the log when a look fails. */
  failure: string
}

/**
 * Looks again and again, and goes on after a look that failed. An outage that repeats itself is one line of the log. A tick during a look is
 * dropped, since the next one is near; a change during a look has a look of its own.
 *
 * @returns stops it; resolves when the look that runs has ended
 */
export function startUpkeep(options: UpkeepOptions): () => Promise<void> {
  const { everyMs, quietMs = everyMs, onChange, afterChangeMs = 50, log, failure } = options
  let running: Promise<void> | undefined
  let soon: ReturnType<typeof setTimeout> | undefined
  let isChanged = false
  let isOver = false
  let lastError = ''
  /** Looks for time that may be left out. */
  let leftOut = 0
  let isQuiet = false
  let changes = 0

  async function checkOnce(cause: 'time' | 'change'): Promise<void> {
    const before = changes
    try {
      const isOpen = await options.check(cause)
      if (cause === 'time') isQuiet = isOpen === false && changes === before
      lastError = ''
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      if (message !== lastError) log.warn(failure, { error })
      lastError = message
      isQuiet = false
    }
  }
  function start(cause: 'time' | 'change'): void {
    if (isOver || running !== undefined) return
    isChanged = false
    running = checkOnce(cause).finally(() => {
      running = undefined
      if (isChanged) start('change')
    })
  }
  function tick(): void {
    if (isQuiet && (++leftOut + 1) * everyMs <= quietMs) return
    leftOut = 0
    start('time')
  }
  const stopHearing = onChange?.(() => {
    changes++
    isQuiet = false
    soon ??= setTimeout(() => {
      soon = undefined
      isChanged = true
      start('change')
    }, afterChangeMs)
  })
  const ticks = setInterval(tick, everyMs)
  start('time')

  return async () => {
    isOver = true
    stopHearing?.()
    clearTimeout(soon)
    clearInterval(ticks)
    await running
  }
}
