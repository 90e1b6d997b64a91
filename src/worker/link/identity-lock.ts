import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../domain/errors'
import { sha256Hex } from '../../util/crypto'
import { tryProcessLock } from '../../util/process/process-lock'

/** A worker's name, held by this process until it ends, however it ends. */
export interface IdentityLock {
  /**
   * The process that had the name here before is gone: the system released its lock. `false` when nobody had it here, so that
   * nothing is known of one elsewhere.
   */
  readonly isFormerGone: boolean
  release(): void
}

/**
 * Takes a worker's name for this process.
 *
 * @param home  Lodeline's folder; locks are in `workers/`
 * @param name  any text
 * @throws `conflict`  another process of this machine works under the name
 * @throws `invalid`   the folder can't be written
 */
export function lockIdentity(home: string, name: string): IdentityLock {
  const folder = join(home, 'workers')
  const path = join(folder, `${fileName(name)}.lock`)
  const hadHolder = existsSync(path)
  const lock = take(folder, path)
  if (!lock)
    throw new AppError('conflict', `Another process is already running as ${JSON.stringify(name)}.`, {
      hint: 'Stop that process, or give this worker another name with --name.',
    })
  return { isFormerGone: hadHolder, release: () => lock.release() }
}

function take(folder: string, path: string): ReturnType<typeof tryProcessLock> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return tryProcessLock(path)
  } catch (cause) {
    throw new AppError('invalid', `The lock ${path} can't be acquired: ${(cause as Error).message}`, {
      hint: 'Check who owns the folder and whether the disk is full.',
      cause,
    })
  }
}

/** A part that a person can read, and one by which no two names are the same file. */
function fileName(name: string): string {
  const readable = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
  return `${readable}-${sha256Hex(name).slice(0, 16)}`
}
