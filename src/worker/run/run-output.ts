import { appendFileSync } from 'node:fs'
import type { AttemptId } from '../../domain/ids'
import { asWorker } from '../as-worker'
import { Spool } from '../output/spool'
import { SpoolUploader } from '../output/spool-uploader'
import type { AttemptFolder } from './attempt-folder'
import type { RunContext } from './run-context'

/** The stderr of a run that is kept. */
const MAX_ERROR_BYTES = 10 * 2 ** 20

/** What a run writes: kept in the attempt's folder, and brought to the server. */
export class RunOutput {
  readonly spool: Spool
  readonly #uploader: SpoolUploader
  readonly #errorFile: string
  #errorBytes = 0
  #isHeldBack = false

  constructor(attemptId: AttemptId, folder: AttemptFolder, context: Pick<RunContext, 'client' | 'options'>) {
    this.#errorFile = folder.stderr
    this.spool = new Spool(folder.stream, (error) =>
      context.options.log.warn('the disk takes no more output of a run, which is kept in memory until it does', {
        error,
        attempt: attemptId,
      }),
    )
    this.#uploader = new SpoolUploader({
      spool: this.spool,
      offset: this.spool.size === 0 ? 0 : undefined,
      send: (offset, bytes) => asWorker(context, (client) => client.attempts.stream(attemptId, { offset }, bytes)),
      onRefused: (error) =>
        context.options.log.warn('the server does not accept the output of a run', { error, attempt: attemptId }),
    })
  }

  /** The server records nothing of output whose conversation it does not know: it gets none until `letGo`. */
  holdBack(): void {
    this.#isHeldBack = true
  }

  letGo(): void {
    this.#isHeldBack = false
    this.#uploader.wake()
  }

  /** There is more in the spool. */
  wake(): void {
    if (!this.#isHeldBack) this.#uploader.wake()
  }

  /** What is in the spool need not wait for more. */
  flush(): void {
    if (!this.#isHeldBack) this.#uploader.flush()
  }

  keepError(bytes: Uint8Array): void {
    try {
      if (this.#errorBytes < MAX_ERROR_BYTES) appendFileSync(this.#errorFile, bytes, { mode: 0o600 })
    } catch {
      // The disk is full. The run must be read on; what it said last is in its end.
    }
    this.#errorBytes += bytes.length
  }

  /** The server may lack the end of what it had. */
  askAgain(): void {
    this.#uploader.askAgain()
  }

  /** Resolves with true when the server has all of it; false when it can't be brought there. */
  drain(): Promise<boolean> {
    return this.#uploader.drain()
  }

  /** Sends nothing more. */
  stop(): Promise<void> {
    return this.#uploader.stop()
  }
}
