import { readdirSync, readlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AppError } from '../../../domain/errors'
import type { CliPlace } from '../../../domain/harness/harness-run'
import { uuidOf } from '../../json-lines/json-value'

/** An id that may become part of a path. @throws `invalid` */
export function checkedId(id: string): string {
  const found = uuidOf(id)
  if (found !== undefined) return found
  throw new AppError('invalid', `${JSON.stringify(id.slice(0, 100))} is not a session ID.`, { hint: 'Give a UUID.' })
}

/** Where the CLI keeps this session. */
export const transcriptPath = ({ root }: Pick<CliPlace, 'root'>, sessionId: string): string =>
  join(root, 'session-state', checkedId(sessionId), 'events.jsonl')

/**
 * The process that has the session open: the CLI writes `inuse.<pid>.lock` beside its events. One that a crash left names a dead process.
 */
export function openedBy(place: Pick<CliPlace, 'root'>, sessionId: string): { pid: number; kind: string } | null {
  const folder = dirname(transcriptPath(place, sessionId))
  for (const name of namesIn(folder)) {
    const pid = Number(/^inuse\.(\d{1,10})\.lock$/.exec(name)?.[1] ?? 0)
    if (pid > 0 && isCopilot(pid)) return { pid, kind: 'copilot' }
  }
  return null
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Where the system lists its processes, another program that got the number is none. */
function isCopilot(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // Another user's process is alive all the same.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  try {
    // Ended, and nobody has waited for it yet: it has no program any more.
    return basename(readlinkSync(`/proc/${pid}/exe`)).startsWith('copilot')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' || process.platform !== 'linux'
  }
}
