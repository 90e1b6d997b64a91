import type { Config } from '../../config/load'
import { keepWorker } from '../service/keep-worker'
import type { RunWorkerOptions } from '../worker'

/** How long runs may take to stop in a way that they can be continued from, when the server ends. */
const STOP_MS = 8_000

/** The worker of `lode up`. Loaded after the server answers, so that it delays nobody. Gives what ends it. */
export function startLocalWorker(config: Config, options: RunWorkerOptions): () => Promise<void> {
  const kept = keepWorker(async () => (await import('../worker')).runWorker(config, options), {
    log: options.log,
    isTriedAgain: true,
  })
  return () => kept.stop({ deadlineMs: STOP_MS })
}
