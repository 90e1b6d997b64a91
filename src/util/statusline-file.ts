/** What a server tells the status lines of agent CLIs: a file, since a status line is drawn often and waits for nothing. */
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What stands in it. Parsed where it is read: another version may have written it. */
export interface StatuslineFacts {
  /** The server's process. */
  pid: number
  /** How much waits for a person. */
  needs: number
  /** Tasks and to-dos of sessions at work, by their IDs. */
  sessions: Readonly<Record<string, { taskId: string | null; done: number; total: number }>>
}

const folderOf = (home: string): string => join(home, 'statusline')
const askedFile = (home: string): string => join(folderOf(home), 'asked')
const factsFile = (home: string): string => join(folderOf(home), 'now.json')

/** Notes that somebody looks, so that a server keeps the facts new. @throws the system's error, also where Lodeline's folder is not there */
export function askForStatusline(home: string): void {
  const now = new Date()
  try {
    utimesSync(askedFile(home), now, now)
  } catch {
    // Only within a folder that is there: a status line makes no record.
    statSync(home)
    mkdirSync(folderOf(home), { recursive: true, mode: 0o700 })
    writeFileSync(askedFile(home), '', { mode: 0o600 })
  }
}

/** When somebody looked last, in milliseconds; `null` = never. */
export function statuslineAskedAt(home: string): number | null {
  return statSync(askedFile(home), { throwIfNoEntry: false })?.mtimeMs ?? null
}

/** Appears whole or not at all. @throws the system's error */
export function writeStatusline(home: string, facts: StatuslineFacts): void {
  const draft = `${factsFile(home)}.${process.pid}`
  writeFileSync(draft, JSON.stringify(facts), { mode: 0o600 })
  renameSync(draft, factsFile(home))
}

/** The server ends. */
export function removeStatusline(home: string): void {
  rmSync(factsFile(home), { force: true })
}

/** The file of a running server; `null` = there is none, or it has not written yet. Never throws. */
export function readStatusline(home: string): StatuslineFacts | null {
  try {
    const facts = JSON.parse(readFileSync(factsFile(home), 'utf8')) as Partial<StatuslineFacts> | null
    if (facts === null || !Number.isSafeInteger(facts.pid) || !Number.isSafeInteger(facts.needs)) return null
    const { pid = 0, needs = 0, sessions } = facts
    process.kill(pid, 0)
    return { pid, needs, sessions: typeof sessions === 'object' && sessions !== null ? sessions : {} }
  } catch {
    return null
  }
}

const windowsFile = (home: string): string => join(folderOf(home), 'windows.json')

/** What a CLI told its status line of the windows of a subscription, in its own form, which only its reader knows. Milliseconds. */
export interface KeptWindows {
  at: number
  windows: readonly { minutes: number; usedPercent: number; resetsAt: number | null }[]
}

/** The same facts are written again after this long, so that their age is seen. */
const SAME_WINDOWS_MS = 60_000

/** Keeps what a status line reported. @throws the system's error */
export function keepWindows(home: string, kept: KeptWindows): void {
  const before = readWindows(home)
  const isSame = before !== null && JSON.stringify(before.windows) === JSON.stringify(kept.windows)
  if (isSame && kept.at - before.at < SAME_WINDOWS_MS) return
  const draft = `${windowsFile(home)}.${process.pid}`
  writeFileSync(draft, JSON.stringify(kept), { mode: 0o600 })
  renameSync(draft, windowsFile(home))
}

/** `null` = no status line told of one. Never throws. */
export function readWindows(home: string): KeptWindows | null {
  try {
    const kept = JSON.parse(readFileSync(windowsFile(home), 'utf8')) as Partial<KeptWindows> | null
    return typeof kept?.at === 'number' && Array.isArray(kept.windows) ? { at: kept.at, windows: kept.windows } : null
  } catch {
    return null
  }
}
