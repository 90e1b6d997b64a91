import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { HeldSession, PresenceLook } from '../../../domain/harness/harness-live'
import { openFilesOf, programsNamed } from '../../../util/process/programs'
import { uuidOf } from '../../json-lines/json-value'

const FOLDER = 'session-state'

/**
 * The process of an open session has `session-state/<session>/inuse.<pid>.hold` open, beside its lock of the same name. Seen with 1.0.102.
 */
export const copilotPresence: PresenceLook = {
  by: 'look',
  folder: FOLDER,
  isWatched: false,
  look(root) {
    if (process.platform !== 'linux') return null
    const folder = realOf(join(root, FOLDER))
    return programsNamed('copilot').flatMap((pid) =>
      openFilesOf(pid).flatMap((path): HeldSession[] => {
        if (!path.startsWith(`${folder}/`)) return []
        const sessionId = uuidOf(/^([0-9a-f-]{36})\/inuse\.\d+\.hold$/i.exec(path.slice(folder.length + 1))?.[1])
        return sessionId === undefined ? [] : [{ pid, sessionId }]
      }),
    )
  },
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
