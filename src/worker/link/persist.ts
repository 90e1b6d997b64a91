import { isPassing } from '../output/spool-uploader'
import { Backoff, pause } from './backoff'

/** Tries again while the server is away, until the signal aborts. @throws what is no use to try again, or the last failure */
export async function persist<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const backoff = new Backoff()
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error
      await pause(backoff.next(), signal)
      if (signal.aborted) throw error
    }
  }
}
