/** Files and processes of background work on this machine. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { basename, dirname, isAbsolute } from 'node:path'
import { AppError } from '../../domain/errors'
import type { Subagent } from '../../domain/session/session'
import type { Store } from '../../domain/store'
import type { BackgroundService, OutputTail } from '../../engine/recovery/background-service'
import type { HostIdentity } from '../files/home'
import type { RecordEngine } from '../threads/record-engine'
import { stopShell } from './stop-shell'

export interface BackgroundOptions {
  store: Store
  host: HostIdentity
  engine(): Promise<RecordEngine>
}

export function createBackground({ store, host, engine }: BackgroundOptions): BackgroundService {
  const isHere = async (subagent: Subagent): Promise<boolean> => {
    const session = await store.sessions.find(subagent.sessionId)
    return session !== undefined && (session.processHost ?? session.hostName ?? host.name) === host.name
  }
  return {
    async outputTail(subagent, maxBytes) {
      const path = outputPath(subagent)
      return path === null || !(await isHere(subagent)) ? null : readTail(path, maxBytes)
    },
    async stop(subagent) {
      if (!(await isHere(subagent)))
        throw new AppError('conflict', `Background task ${subagent.id} runs on another machine.`, {
          hint: 'Run lode subagent stop on that machine, or stop it in its session.',
        })
      const { sessionId, id: task, outputFile } = subagent
      const recording = await engine()
      const stopped = await stopShell({ session: sessionId, task, outputFile }, (process) =>
        recording.setShells([{ sessionId, task, state: 'stopped', process, at: Date.now() }]),
      )
      if (stopped === null) await recording.checkShells()
      return stopped?.pid ?? null
    },
    async markRead(subagent, run, by) {
      const isNew = await (await engine()).markRead(subagent.sessionId, subagent.id, run, by)
      if (isNew === null) throw new AppError('not_found', `Sub-agent ${subagent.id} has no run ${run}.`)
      return isNew
    },
  }
}

/**
 * The recorded path, if it is one at which the CLI puts this task's output. A transcript may name any file, and a reader of an output must
 * not see a private one.
 */
function outputPath({ id, outputFile }: Subagent): string | null {
  if (outputFile === null || !isAbsolute(outputFile) || outputFile.includes('\0')) return null
  return basename(outputFile) === `${id}.output` && basename(dirname(outputFile)) === 'tasks' ? outputFile : null
}

/** `null` = no plain file of this user's. A link (agents' outputs are links to their transcripts) is not followed. */
function readTail(path: string, maxBytes: number): OutputTail | null {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return null
  }
  try {
    const { size, uid } = fstatSync(file)
    if (!fstatSync(file).isFile() || (process.getuid !== undefined && uid !== process.getuid())) return null
    const from = Math.max(0, size - maxBytes)
    const bytes = Buffer.alloc(size - from)
    const count = readSync(file, bytes, 0, bytes.length, from)
    return { path, text: textFrom(bytes.subarray(0, count), from > 0), bytes: size, isCut: from > 0 }
  } catch {
    return null
  } finally {
    closeSync(file)
  }
}

/** Whole characters: the first bytes may be the end of one. */
function textFrom(bytes: Buffer, isCut: boolean): string {
  let at = 0
  while (isCut && at < 4 && at < bytes.length && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++
  return bytes.toString('utf8', at)
}
