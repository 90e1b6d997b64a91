import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { LiveSession } from '../../../domain/harness/harness-live'
import { startOf } from '../../../util/process/process-tree'
import { idOf, isRecord, type JsonRecord } from '../../json-lines/json-value'

/** Real ones have 600 bytes. */
const ENTRY_BYTES = 64 * 1_024
/** More than any machine has of them. */
const MAX_SESSIONS = 1_000

/**
 * Which processes have conversations open on this machine, by the files that the CLI keeps of them. A file that outlived its process counts
 * for nothing, nor does one of another machine or container.
 *
 * @param roots  the CLI's configuration folders
 */
export function liveSessions(roots: readonly string[]): LiveSession[] {
  const found: LiveSession[] = []
  for (const root of roots) {
    const folder = join(root, 'sessions')
    for (const name of namesIn(folder).slice(0, MAX_SESSIONS)) {
      const entry = readEntry(join(folder, name))
      const live = entry === null ? null : liveOf(entry, Number(name.slice(0, -'.json'.length)))
      if (live !== null) found.push(live)
    }
  }
  return found
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^[1-9]\d{0,9}\.json$/.test(name))
  } catch {
    return []
  }
}

function readEntry(path: string): JsonRecord | null {
  try {
    if (statSync(path).size > ENTRY_BYTES) return null
    const entry: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return isRecord(entry) ? entry : null
  } catch {
    // Gone in the meantime, or half written.
    return null
  }
}

function liveOf(entry: JsonRecord, pid: number): LiveSession | null {
  const sessionId = idOf(entry.sessionId)
  if (sessionId === undefined || !/^[\w.-]{1,200}$/.test(sessionId) || entry.pid !== pid) return null
  const startedAt = startOf(pid)
  if (startedAt === null) return null
  const said = entry.procStart
  if (typeof said === 'string' && said !== '' && startedAt.split('@')[0] !== said) return null
  const { status, messagingSocketPath: socket } = entry
  return {
    agent: 'claude-code',
    sessionId,
    pid,
    startedAt,
    status: status === 'busy' || status === 'idle' ? status : null,
    socket: typeof socket === 'string' && socket !== '' ? socket : null,
  }
}
