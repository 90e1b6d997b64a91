/**
 * What is known of a backup that is not whole yet, so that the next one goes on there. It stands in Lodeline's folder: a backup that is
 * encrypted says nowhere else what it holds.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { AppError } from '../../domain/errors'
import { sha256Hex } from '../../util/crypto'
import { type ProcessLock, tryProcessLock } from '../../util/process/process-lock'

/** In Lodeline's folder. */
export const UNFINISHED_FOLDER = 'unfinished-backups'

const Digest = z.strictObject({ name: z.string(), size: z.int(), sha256: z.string() })
const Unfinished = z.strictObject({
  /** The file that was begun, absolute. */
  draft: z.string(),
  /** The recipients: what `encryptionName` gives. */
  encryption: z.string(),
  /** Pieces of the file that are whole and durable, from its beginning on. */
  segments: z.array(
    z.strictObject({
      bytes: z.int(),
      /** The digest of the file's bytes. */
      sha256: z.string(),
      entries: z.array(Digest),
    }),
  ),
})
export type Unfinished = z.infer<typeof Unfinished>

/** The notes on one destination. Nobody else writes there while they are open. */
export class UnfinishedNotes implements Disposable {
  readonly #file: string
  readonly #lock: ProcessLock

  /** @param to  where the backup goes, as the person names it, absolute. @throws `conflict` another backup goes there now */
  constructor(home: string, to: string) {
    const folder = join(home, UNFINISHED_FOLDER)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const place = join(folder, sha256Hex(to).slice(0, 16))
    this.#file = `${place}.json`
    const lock = tryProcessLock(`${place}.lock`)
    if (lock === null)
      throw new AppError('conflict', `Another backup to ${to} is being written.`, { hint: 'Wait until it is over.' })
    this.#lock = lock
  }

  /** `null` = there is none that can be gone on with. */
  read(): Unfinished | null {
    try {
      return Unfinished.parse(JSON.parse(readFileSync(this.#file, 'utf8')))
    } catch {
      return null
    }
  }

  write(notes: Unfinished): void {
    writeFileSync(`${this.#file}.new`, JSON.stringify(notes), { mode: 0o600, flush: true })
    renameSync(`${this.#file}.new`, this.#file)
  }

  remove(): void {
    rmSync(this.#file, { force: true })
  }

  [Symbol.dispose](): void {
    this.#lock.release()
  }
}
