/** Lets many calls that follow each other closely write one file seldom, over all processes of this machine. */
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { DAY_MS } from '../../domain/time-units'
import { tryProcessLock } from '../../util/process/process-lock'

export interface WriteTurn {
  /** A file that stands for what is written. Its time is that of the last turn; the waiter for the next one holds its lock. */
  path: string
  /** Milliseconds between two turns at least. */
  windowMs: number
  /** Ends the waiting: the turn begins at once then. */
  signal: AbortSignal
}

/**
 * Waits for the next turn. Whoever has it reads what is to be written after this returns.
 *
 * @returns whether it is this call's; `false` = another one waits already, and reads after now
 */
export async function writeTurn({ path, windowMs, signal }: WriteTurn): Promise<boolean> {
  const last = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  if (last === 0) sweep(dirname(path))
  const lock = tryProcessLock(path)
  if (lock === null) return false
  try {
    // A clock that was set back must not hold it up.
    const left = Math.min(windowMs, last + windowMs - Date.now())
    if (left > 0) await pause(left, undefined, { signal }).catch(() => undefined)
    const now = new Date()
    utimesSync(path, now, now)
    return true
  } finally {
    // Before anything is read: later callers wait for the turn after this one.
    lock.release()
  }
}

/** Older ones say nothing any more: nobody waits that long. */
const KEPT_MS = DAY_MS

/** Makes the folder, or removes what is old in it: before each new file. */
function sweep(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const at = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (at !== undefined && Date.now() - at > KEPT_MS) rmSync(path, { force: true })
  }
}
