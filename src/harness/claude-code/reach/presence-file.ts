import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import type { PresenceFile, PresenceFiles } from '../../../domain/harness/harness-live'

/**
 * What the CLI reports of a running process in `<root>/sessions/<pid>.json`. Seen with 2.1.197 and 2.1.328; the file may outlive its
 * process, and older versions write none.
 */
export const claudeCodePresence: PresenceFiles = {
  by: 'files',
  folder: 'sessions',
  pidOf: presencePid,
  read: readPresenceFile,
}

/** Real ones have 600 bytes. */
const LARGEST_BYTES = 64 * 1_024

/** The pid that a file's name stands for; `null` for every other file, keys of the CLI's sockets among them. */
export function presencePid(fileName: string): number | null {
  const match = /^([1-9]\d{0,9})\.json$/.exec(fileName)
  return match === null ? null : Number(match[1])
}

/** `null` when it can't be read or makes no sense, as in the middle of a write. Never throws. */
export async function readPresenceFile(path: string, pid: number): Promise<PresenceFile | null> {
  try {
    // Opening a pipe must not wait for its writer, nor a link lead elsewhere.
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const stats = await file.stat()
      if (!stats.isFile() || stats.size > LARGEST_BYTES) return null
      return parsePresence(await file.readFile('utf8'), pid)
    } finally {
      await file.close()
    }
  } catch {
    return null
  }
}

/** @param pid  from the file's name; content that names another one is not believed */
export function parsePresence(text: string, pid: number): PresenceFile | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const field = new Map<string, unknown>(Object.entries(value))
  const id = field.get('sessionId')
  if (field.get('pid') !== pid || typeof id !== 'string' || !/^[\w.-]{1,200}$/.test(id)) return null
  const status = field.get('status')
  const startedAt = field.get('startedAt')
  return {
    pid,
    sessionId: id,
    procStart: shortText(field.get('procStart')),
    pidDomain: shortText(field.get('pidDomain')),
    startedAt: typeof startedAt === 'number' && Number.isFinite(startedAt) ? startedAt : null,
    status: status === 'busy' || status === 'idle' ? status : null,
  }
}

function shortText(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && text !== '' && text.length <= 200 ? text : null
}
