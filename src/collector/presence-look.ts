import { basename } from 'node:path'
import type { PresenceFiles } from '../domain/harness/harness-live'
import { type SessionId, sessionId } from '../domain/ids'
import { isProcessOf } from './presence'
import { type ProcessTable, systemProcesses } from './process-table'

/** A process that held a session and is no more. */
export interface GoneProcess {
  sessionId: SessionId
  pid: number
  /** As the system counts it; `null` = its file does not say. */
  started: string | null
  /** Milliseconds: when this was seen. */
  at: number
}

/**
 * One look at what CLIs report of their processes: sessions of which only dead processes are left. Follows nothing, starts no timer.
 */
export async function goneProcesses(
  folders: readonly { presence: PresenceFiles; paths: readonly string[] }[],
  processes: ProcessTable = systemProcesses,
): Promise<GoneProcess[]> {
  const domain = await processes.findDomain()
  const gone = new Map<string, GoneProcess>()
  const alive = new Set<string>()
  for (const { presence, paths } of folders)
    for (const path of paths) {
      const pid = presence.pidOf(basename(path))
      const file = pid === null ? null : await presence.read(path, pid)
      // Pids of another machine or container mean nothing here.
      if (file === null || !(file.pidDomain === null || domain === null || file.pidDomain.endsWith(domain))) continue
      const start = await processes.findStart(file.pid)
      if (start !== null && isProcessOf(file, start)) alive.add(file.sessionId)
      else
        gone.set(file.sessionId, {
          sessionId: sessionId(file.sessionId),
          pid: file.pid,
          started: file.procStart,
          at: Date.now(),
        })
    }
  return [...gone.values()].filter((one) => !alive.has(one.sessionId))
}
