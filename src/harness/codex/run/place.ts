import { readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../../domain/errors'
import type { CliPlace } from '../../../domain/harness/harness-run'
import { uuidOf } from '../../json-lines/json-value'
import { timeOfId } from '../carry'
import { rolloutOf } from '../files'

/** An id that the CLI takes for one: anything else would begin a new thread. @throws `invalid` */
export function checkedId(id: string): string {
  const found = uuidOf(id)
  if (found !== undefined) return found
  throw new AppError('invalid', `${JSON.stringify(id.slice(0, 100))} is not a thread ID.`, { hint: 'Give a UUID.' })
}

/** Where the CLI keeps this thread; one that it does not have, where it would have put it: by the day and time in its id. */
export const transcriptPath = ({ root }: Pick<CliPlace, 'root'>, sessionId: string): string =>
  rolloutOf(root, checkedId(sessionId)) ?? newPath(root, checkedId(sessionId))

function newPath(root: string, id: string): string {
  const began = new Date(timeOfId(id) ?? 0)
  const two = (value: number) => String(value).padStart(2, '0')
  // Folders and names have the time of the machine.
  const day = [String(began.getFullYear()), two(began.getMonth() + 1), two(began.getDate())]
  const time = [began.getHours(), began.getMinutes(), began.getSeconds()].map(two)
  return join(root, 'sessions', ...day, `rollout-${day.join('-')}T${time.join('-')}-${id}.jsonl`)
}

/**
 * Who has the thread open: the CLI holds a lock on a file of the thread for as long as it may write. Where the system does not list its
 * locks, the CLI itself refuses a second writer.
 */
export function openedBy({ root }: Pick<CliPlace, 'root'>, sessionId: string): { pid: number; kind: string } | null {
  const id = uuidOf(sessionId)
  const inode = id === undefined ? undefined : inodeOf(join(root, 'thread-writer-locks', `${id}.lock`))
  if (inode === undefined) return null
  for (const line of locks()) {
    const [, kind, , , pid, file] = line.split(/\s+/)
    if (kind === 'FLOCK' && file?.split(':')[2] === inode && Number(pid) > 0 && isThere(Number(pid)))
      return { pid: Number(pid), kind: 'codex' }
  }
  return null
}

const inodeOf = (path: string): string | undefined => statSync(path, { throwIfNoEntry: false })?.ino.toString()

function locks(): string[] {
  try {
    return readFileSync('/proc/locks', 'utf8').split('\n')
  } catch {
    return []
  }
}

function isThere(pid: number): boolean {
  try {
    readlinkSync(`/proc/${pid}/exe`)
    return true
  } catch (error) {
    // Another user's process is there, too.
    return (error as NodeJS.ErrnoException).code === 'EACCES'
  }
}
