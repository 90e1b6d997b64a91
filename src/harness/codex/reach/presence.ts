import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { HeldSession, PresenceLook } from '../../../domain/harness/harness-live'
import { namesIn } from '../../../util/files/quiet-looks'
import { beganAt, lockHolders } from '../../../util/process/programs'
import { uuidOf } from '../../json-lines/json-value'

/** Below a configuration folder. */
export const THREAD_LOCKS = 'thread-writer-locks'

/**
 * The process that may write a thread holds a lock on `thread-writer-locks/<thread>.lock`, and removes the file at its end. Seen with
 * 0.169, where the holder may be the CLI's own daemon: it keeps a thread after the terminal that opened it has ended.
 */
export const codexPresence: PresenceLook = {
  by: 'look',
  folder: THREAD_LOCKS,
  isWatched: true,
  look(root) {
    const holders = lockHolders()
    if (holders === null) return null
    return namesIn(join(root, THREAD_LOCKS)).flatMap((name) => heldBy(holders, root, name.replace(/\.lock$/, '')) ?? [])
  },
}

/** The process that has the thread open; `null` = nobody, or this system does not tell: then the CLI itself refuses a second writer. */
export const holderOf = (root: string, thread: string): HeldSession | null =>
  heldBy(lockHolders() ?? new Map(), root, thread)

function heldBy(holders: ReadonlyMap<number, number>, root: string, thread: string): HeldSession | null {
  const sessionId = uuidOf(thread)
  if (sessionId === undefined) return null
  const stat = statSync(join(root, THREAD_LOCKS, `${sessionId}.lock`), { throwIfNoEntry: false })
  const pid = stat === undefined ? undefined : holders.get(stat.ino)
  return pid === undefined || beganAt(pid) === null ? null : { pid, sessionId }
}
