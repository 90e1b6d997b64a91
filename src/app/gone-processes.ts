import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/load'
import { sessionStatus } from '../domain/session-status'
import type { Store } from '../domain/store'
import type { RecordEngine } from './record-engine'

/** More files than any machine has CLIs. */
const MOST_FILES = 1_000

interface GoneOptions {
  config: Config
  /** This machine. */
  hostName: string
  store: Store
  /** Opens the write side; only called when a process is gone that the record takes for living. */
  engine(): Promise<RecordEngine>
}

/**
 * Tells the record of CLIs that were killed: they say nothing themselves, and where no server runs nobody looks. By the files that
 * the CLI keeps of its processes, as `collector/presence.ts` reads them: one whose process is no more, and no other has its session.
 */
export async function noteGoneProcesses({ config, hostName, store, engine }: GoneOptions): Promise<void> {
  const folders = await Promise.all(
    config.claude.roots.map(async (root) => {
      const folder = join(root, 'sessions')
      const names = await readdir(folder).catch(() => [])
      return names.slice(0, MOST_FILES).map((name) => join(folder, name))
    }),
  )
  const paths = folders.flat()
  if (paths.length === 0) return
  const { goneProcesses } = await import('../collector/presence-look')
  for (const gone of await goneProcesses(paths)) {
    const session = await store.sessions.find(gone.sessionId)
    const { pid: id, sessionId, started, at } = gone
    if (session === undefined || ['ended', 'lost'].includes(sessionStatus(session.signals, at).status)) continue
    // It went on elsewhere.
    if (session.signals.processState === 'alive' && session.processHost !== hostName) continue
    await (await engine()).setProcesses([{ sessionId, id, started, state: 'gone', at }])
  }
}
