import type { Config } from '../../config/load'
import { isAppError } from '../../domain/errors'
import type { RunningWorker } from '../../worker/options'
import type { RunWorkerOptions } from '../worker'

/** Runs get so long to stop in a way that they can be continued from, when the server ends. */
const STOP_MS = 8_000
/** The first wait until a worker that could not begin is tried again; doubled each time, at most a minute. */
const RETRY_MS = 1_000

/**
 * The worker of `lode up`. Loaded after the server answers, so that it delays nobody; one that can't begin (the name is taken by a
 * `lode work`, say) is tried again and said once. Gives what ends it.
 */
export function startLocalWorker(config: Config, options: RunWorkerOptions): () => Promise<void> {
  const { log } = options
  let isEnding = false
  let wake = (): void => {}
  let running: RunningWorker | undefined
  const live = (async () => {
    let lastMessage = ''
    for (let waitMs = RETRY_MS; !isEnding; waitMs = Math.min(waitMs * 2, 60_000)) {
      try {
        const { runWorker } = await import('../worker')
        running = await runWorker(config, options)
        // The end did not see it: it was still starting.
        if (isEnding) await running.stop({ deadlineMs: STOP_MS })
        else log.info('this machine accepts tasks', { worker: running.name })
        waitMs = RETRY_MS
        await running.done
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        // Without an agent CLI all is well: the person was told at the start.
        const level = isAppError(error) && error.code === 'not_found' ? 'info' : 'warn'
        if (message !== lastMessage)
          log[level](`this machine does not accept tasks: ${message}`, isAppError(error) ? {} : { error })
        lastMessage = message
      }
      running = undefined
      if (!isEnding)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, waitMs)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
    }
  })()
  return async () => {
    isEnding = true
    wake()
    await running?.stop({ deadlineMs: STOP_MS })
    await live
  }
}
