import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerProcess } from '../../util/process/server-process'

/** How other commands find the server of a Lodeline folder. */
export interface ServerFile {
  url: string
  pid: number
  version: string
  /** ISO 8601. */
  startedAt: string
  /** Proves to a worker on this machine that this very process is gone; `null` where nothing proves that. */
  process: ServerProcess | null
}

const pathOf = (home: string): string => join(home, 'server.json')

/** Appears whole or not at all. */
export function writeServerFile(home: string, server: ServerFile): void {
  const draft = `${pathOf(home)}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(server)}\n`, { mode: 0o600 })
  renameSync(draft, pathOf(home))
}

/** Removes the file if it is still this process's. */
export function removeServerFile(home: string): void {
  try {
    const { pid } = JSON.parse(readFileSync(pathOf(home), 'utf8')) as Partial<ServerFile>
    if (pid === process.pid) rmSync(pathOf(home))
  } catch {
    // None is there, or it is another server's.
  }
}
