/**
 * Which conversation a process held before it was cleared. The CLI ends the old session and begins a new one, whose payload does not
 * name the old: the hook of the end leaves a note under the process, the hook of the start takes it.
 */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MINUTE_MS } from '../../domain/time-units'

/** Both hooks run one after the other; what is older is of something else. */
const FRESH_MS = MINUTE_MS

/** @throws the system's error when the home can't be written */
export function leaveCleared(home: string, cli: string, session: string): void {
  const path = noteOf(home, cli)
  mkdirSync(join(home, 'told', 'cleared'), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, session, { mode: 0o600 })
  renameSync(draft, path)
}

/** The session that this process cleared a moment ago; `null` = none that is certain. */
export function takeCleared(home: string, cli: string): string | null {
  const path = noteOf(home, cli)
  try {
    const isFresh = Date.now() - statSync(path).mtimeMs < FRESH_MS
    const session = readFileSync(path, 'utf8')
    rmSync(path, { force: true })
    return isFresh && session !== '' ? session : null
  } catch {
    return null
  }
}

const noteOf = (home: string, cli: string) => join(home, 'told', 'cleared', Bun.hash(cli).toString(36))
