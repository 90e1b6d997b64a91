/**
 * How the worker of a service comes to a new program without ending a run. `lode service restart` and `lode upgrade` leave a mark in
 * Lodeline's folder. The worker that sees a mark which is newer than itself goes on, ends at the first moment at which nothing runs, and the
 * system starts it again. Beside the mark the worker writes what it is now, for `lode service status`.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { VERSION } from '../../util/version'
import type { KeptWorker } from './keep-worker'
import type { WorkerKind } from './service-plan'

/** The mark is looked for this often. */
const MARK_LOOK_MS = 1_000

/** What a service's worker says of itself. */
export interface WorkerState {
  pid: number
  version: string
  /** As the server knows it; `null` = it has not joined. */
  name: string | null
  /** Agent CLIs that run now. */
  running: number
  /** ISO 8601: it restarts once nothing runs; `null` = it was not asked to. */
  restartAskedAt: string | null
}

const markOf = (home: string, kind: WorkerKind): string => join(home, 'workers', `restart-${kind}`)
const stateOf = (home: string, kind: WorkerKind): string => join(home, 'workers', `service-${kind}.json`)

export const askRestart = (home: string, kind: WorkerKind): void => write(markOf(home, kind), new Date().toISOString())

/** No worker is to restart any more: none is there, or the next has the program of then, whatever the clock says. */
export const forgetRestart = (home: string, kind: WorkerKind): void => rmSync(markOf(home, kind), { force: true })

/** `null` = none has written it, or it can't be read. It may be of a process that was killed. */
export function readWorkerState(home: string, kind: WorkerKind): WorkerState | null {
  try {
    const said = JSON.parse(readFileSync(stateOf(home, kind), 'utf8')) as Partial<WorkerState>
    const { pid, version = '', name = null, running = 0, restartAskedAt = null } = said
    return pid === undefined ? null : { pid, version, name, running, restartAskedAt }
  } catch {
    return null
  }
}

/** Follows the mark for a worker of this process. @returns what ends that, once the worker has ended */
export function followRestart(home: string, kind: WorkerKind, worker: KeptWorker): () => void {
  let restartAskedAt: string | null = null
  let written = ''
  const look = (): void => {
    restartAskedAt ??= newerMark(home, kind)
    if (restartAskedAt !== null) worker.endWhenIdle(restartAskedAt)
    const state: WorkerState = {
      pid: process.pid,
      version: VERSION,
      name: worker.name(),
      running: worker.running(),
      restartAskedAt,
    }
    const text = JSON.stringify(state)
    try {
      if (text !== written) write(stateOf(home, kind), text)
      written = text
    } catch {
      // A full disk ends no run. The next look tries again.
    }
  }
  look()
  const timer = setInterval(look, MARK_LOOK_MS)
  return () => {
    clearInterval(timer)
    rmSync(stateOf(home, kind), { force: true })
    forgetRestart(home, kind)
  }
}

/** A mark from before this process began asks for the program that it has. */
function newerMark(home: string, kind: WorkerKind): string | null {
  try {
    const text = readFileSync(markOf(home, kind), 'utf8').trim()
    return Date.parse(text) > performance.timeOrigin ? text : null
  } catch {
    return null
  }
}

/** Appears whole or not at all. */
function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, `${text}\n`, { mode: 0o600 })
  renameSync(draft, path)
}
