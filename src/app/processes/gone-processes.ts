import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config/load'
import { sessionStatus } from '../../domain/session/session-status'
import type { Store } from '../../domain/store'
import { followed } from '../followed'
import type { RecordEngine } from '../threads/record-engine'

/** More files than any machine has CLIs. */
const MAX_FILES = 1_000

interface GoneOptions {
  config: Config
  /** This machine. */
  hostName: string
  store: Store
  /** Opens the write side; only called when a process is gone that the record takes for living. */
  engine(): Promise<RecordEngine>
}

/**
 * Tells the record of CLIs that were killed: they say nothing themselves, and where no server runs nobody looks.
 */
export async function noteGoneProcesses(options: GoneOptions): Promise<void> {
  await noteLeftFiles(options)
  await noteDead(options)
}

/** Processes that the record takes for living and that are no more. */
async function noteDead({ hostName, store, engine }: GoneOptions): Promise<void> {
  const alive = await store.sessions.aliveOn(hostName)
  if (alive.length === 0) return
  const { systemProcesses } = await import('../../collector/process-table')
  for (const { sessionId, pid: id, started } of alive) {
    const start = await systemProcesses.findStart(id)
    if (start !== null && (started === null || started === start.text)) continue
    await (await engine()).setProcesses([{ sessionId, id, started, state: 'gone', at: Date.now() }])
  }
}

/**
 * By the files that a CLI keeps of its processes, as `collector/presence.ts` reads them: one whose process is no more, and no other has its
 * session.
 */
async function noteLeftFiles({ config, hostName, store, engine }: GoneOptions): Promise<void> {
  const folders = []
  for (const { harness, roots: all } of followed(config)) {
    const roots = all.filter((root) => existsSync(root))
    if (roots.length === 0) continue
    const presence = await harness.presence?.()
    if (presence?.by !== 'files') continue
    for (const root of roots) {
      const folder = join(root, presence.folder)
      const names = await readdir(folder).catch(() => [])
      folders.push({ presence, paths: names.slice(0, MAX_FILES).map((name) => join(folder, name)) })
    }
  }
  if (folders.every(({ paths }) => paths.length === 0)) return
  const { goneProcesses } = await import('../../collector/presence-look')
  for (const gone of await goneProcesses(folders)) {
    const session = await store.sessions.find(gone.sessionId)
    const { pid: id, sessionId, started, at } = gone
    if (session === undefined || ['ended', 'lost'].includes(sessionStatus(session.signals, at).status)) continue
    // It went on elsewhere.
    if (session.signals.processState === 'alive' && session.processHost !== hostName) continue
    await (await engine()).setProcesses([{ sessionId, id, started, state: 'gone', at }])
  }
}
