import { isAppError } from '../../domain/errors'
import { MINUTE_MS } from '../../domain/time-units'
import type { Logger } from '../../util/log'
import type { RunningWorker } from '../../worker/options'

/** The first wait until a worker that could not begin is tried again; doubled each time, at most a minute. */
const RETRY_MS = 1_000
const MOST_RETRY_MS = MINUTE_MS

/** A worker, and the one that follows it when it can't go on. */
export interface KeptWorker {
  /** Agent CLIs that run now. */
  running(): number
  /** The name of the running worker; `null` = none runs. */
  name(): string | null
  /** Lets it end once nothing runs, and none follows it. @see RunningWorker.endWhenIdle */
  endWhenIdle(askedAt: string): void
  /** Ends it, and none follows it. */
  stop(options: { deadlineMs: number }): Promise<void>
  /** Resolves when none follows any more. Rejects only where none is tried again. */
  readonly done: Promise<void>
}

export interface KeepOptions {
  log: Logger
  /** What keeps one from working (its name is taken by another process, say) is said once, and another is started until one works. */
  isTriedAgain: boolean
  /** This machine runs no tasks: none is started. */
  isOff?: boolean
}

/** Keeps a worker at work until it is to end. */
export function keepWorker(
  start: () => Promise<RunningWorker>,
  { log, isTriedAgain, isOff = false }: KeepOptions,
): KeptWorker {
  let isEnding = false
  let askedAt: string | null = null
  let wake = (): void => {}
  /** Until the end, or for this long. */
  const pause = (ms?: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  let running: RunningWorker | undefined
  let stopping: { deadlineMs: number } | undefined
  const done = (async () => {
    let lastMessage = ''
    if (isOff) await pause()
    for (let waitMs = RETRY_MS; !isEnding; waitMs = Math.min(waitMs * 2, MOST_RETRY_MS)) {
      try {
        running = await start()
        // The end did not see it: it was still starting.
        if (stopping !== undefined) await running.stop(stopping)
        else if (askedAt !== null) running.endWhenIdle(askedAt)
        else log.info('this machine accepts tasks', { worker: running.name })
        waitMs = RETRY_MS
        await running.done
      } catch (error) {
        if (!isTriedAgain) throw error
        if (isEnding) return
        const message = error instanceof Error ? error.message : String(error)
        const code = isAppError(error) ? error.code : null
        // Its server starts, or ends: a look for it costs nothing.
        if (code === 'unavailable') waitMs = RETRY_MS / 2
        // Without an agent CLI all is well: the person read so at the start.
        const level = code === 'not_found' || code === 'unavailable' ? 'info' : 'warn'
        if (message !== lastMessage)
          log[level](`this machine does not accept tasks: ${message}`, isAppError(error) ? {} : { error })
        lastMessage = message
      }
      running = undefined
      if (!isEnding) await pause(waitMs)
    }
  })()
  // The log tells a person who does not wait for it.
  done.catch(() => {})
  return {
    running: () => running?.running() ?? 0,
    name: () => running?.name ?? null,
    endWhenIdle(at) {
      isEnding = true
      askedAt ??= at
      wake()
      running?.endWhenIdle(at)
    },
    async stop(options) {
      isEnding = true
      stopping = options
      wake()
      await running?.stop(options)
      await done.catch(() => {})
    },
    done,
  }
}
