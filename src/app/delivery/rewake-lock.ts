/** Which conversations have a hook that waits to wake them: an empty file for each such hook, named by it and what it waits for. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startOf } from '../../util/process/process-tree'

export interface Rewake {
  /** Takes the mark away. */
  release(): void
}

const folderOf = (home: string): string => join(home, 'rewake')
const nameOf = (pid: number, ticks: string, session: string): string =>
  `${pid}-${ticks}-${Bun.hash(session).toString(36)}`

/**
 * Says that this process waits for messages of a session in that process of the CLI. `null` = another one does.
 *
 * @throws the system's error when the home can't be written
 */
export function armRewake(home: string, cli: string, session: string): Rewake | null {
  const [pid = '', ticks = ''] = cli.split('@')
  const folder = folderOf(home)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const prefix = nameOf(Number(pid), ticks, session)
  if (armedIn(folder, prefix)) return null
  const path = join(folder, `${prefix}.${process.pid}.${startOf(process.pid)?.split('@')[0] ?? ''}`)
  writeFileSync(path, '', { mode: 0o600 })
  return { release: () => rmSync(path, { force: true }) }
}

/** Whether a hook waits for this conversation. */
export function rewakesOf(home: string, live: { pid: number; startedAt: string; sessionId: string }): boolean {
  return armedIn(folderOf(home), nameOf(live.pid, live.startedAt.split('@')[0] ?? '', live.sessionId))
}

/** Marks of processes that are gone are taken away. */
function armedIn(folder: string, prefix: string): boolean {
  let isArmed = false
  for (const name of namesIn(folder)) {
    const [of, pid, ticks] = name.split('.')
    if (pid === undefined || ticks === undefined) continue
    if (startOf(Number(pid))?.split('@')[0] !== ticks) rmSync(join(folder, name), { force: true })
    else if (of === prefix) isArmed = true
  }
  return isArmed
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
