import { AppError, isAppError } from '../domain/errors'
import type { WorkerClient } from './options'

/**
 * Does something with the token that the worker has now. One that is refused is no last word: somebody joined under this worker's name,
 * and the poll that finds out joins again or ends the worker with all its runs.
 *
 * @throws `unavailable` instead of `unauthorized`; else what the server says
 */
export async function asWorker<T>(
  link: { client(): WorkerClient },
  work: (client: WorkerClient) => Promise<T>,
): Promise<T> {
  try {
    return await work(link.client())
  } catch (cause) {
    if (!isAppError(cause) || cause.code !== 'unauthorized') throw cause
    throw new AppError('unavailable', `The server does not accept this worker's token now: ${cause.message}`, { cause })
  }
}
