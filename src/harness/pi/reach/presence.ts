import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { HeldSession, PresenceLook } from '../../../domain/harness/harness-live'
import { modifiedAt, namesIn } from '../../../util/files/quiet-looks'
import { beganAt, environmentOf, folderOf, programsNamed } from '../../../util/process/programs'
import { sessionOf } from '../classify'
import { piRoot } from '../root'
import { sessionFolder } from '../session-folder'

/**
 * Pi keeps no file open and writes over its argv, so a process tells its working folder alone. It has the session that was written since
 * it began, where it is the only Pi in the folder and only one session was.
 */
export const piPresence: PresenceLook = {
  by: 'look',
  folder: 'sessions',
  isWatched: false,
  look(root) {
    if (process.platform !== 'linux') return null
    const all = processesOf(root)
    return all.flatMap((one): HeldSession[] => {
      if (all.some(({ pid, cwd }) => pid !== one.pid && cwd === one.cwd)) return []
      const [path, another] = namesIn(join(root, sessionFolder(one)))
        .map((name) => join(root, sessionFolder(one), name))
        .filter((each) => modifiedAt(each) >= one.began)
      const sessionId = path === undefined || another !== undefined ? null : sessionOf(path)
      return sessionId === null ? [] : [{ pid: one.pid, sessionId }]
    })
  },
}

/**
 * A person's process that may have the session of this file open: it works in the session's folder, and the file was written since it
 * began. If there are several, none can be ruled out.
 */
export function mayHold(place: { root: string; cwd: string }, path: string): number | null {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return null
  const found = processesOf(place.root).find(
    ({ isRun, cwd, began }) => !isRun && cwd === place.cwd && stat.mtimeMs >= began,
  )
  return found?.pid ?? null
}

interface PiProcess {
  pid: number
  cwd: string
  /** Milliseconds since the epoch. */
  began: number
  /** It is one of Lodeline's own: whose conversation it has is known otherwise. */
  isRun: boolean
}

const processesOf = (root: string): PiProcess[] =>
  programsNamed('pi').flatMap((pid) => {
    const environment = environmentOf(pid)
    const [cwd, began] = [folderOf(pid), beganAt(pid)]
    if (began === null || cwd === '' || piRoot(environment) !== resolve(root)) return []
    return { pid, cwd, began, isRun: environment.LODELINE_ATTEMPT_ID !== undefined }
  })
