/**
 * Programs at work on this machine, and what they hold, as Linux shows them in /proc. Elsewhere none are seen. Looks only; a process that
 * ends meanwhile, or that is another user's, tells nothing.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { bootMs } from './boot-clock'

/** Pids of processes that go by this name: their own, or that of the file of their program. About 10 µs a process of the machine. */
export function programsNamed(name: string): number[] {
  return entriesOf('/proc')
    .filter((entry) => /^[1-9]\d*$/.test(entry))
    .map(Number)
    .filter((pid) => textOf(`/proc/${pid}/comm`).trimEnd() === name || basename(linkOf(`/proc/${pid}/exe`)) === name)
}

/** Real paths of the files that a process has open. */
export const openFilesOf = (pid: number): string[] =>
  entriesOf(`/proc/${pid}/fd`)
    .map((entry) => linkOf(`/proc/${pid}/fd/${entry}`))
    .filter((path) => path.startsWith('/'))

/** Real path of its working folder; '' = not known. */
export const folderOf = (pid: number): string => linkOf(`/proc/${pid}/cwd`)

/** Its argv; a program may write over it. */
export const wordsOf = (pid: number): string[] => textOf(`/proc/${pid}/cmdline`).split('\0').slice(0, -1)

/** Its environment as it was started. */
export function environmentOf(pid: number): Record<string, string> {
  const pairs = textOf(`/proc/${pid}/environ`)
    .split('\0')
    .filter((pair) => pair.indexOf('=') > 0)
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]))
}

/** Milliseconds since the epoch, exact to a tenth of a second; `null` = there is no such process, or it has ended. */
export function beganAt(pid: number): number | null {
  const stat = textOf(`/proc/${pid}/stat`)
  // The second field is the program's name in brackets, which may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = Number(fields[19])
  if (stat === '' || !Number.isFinite(ticks) || 'ZXx'.includes(fields[0] ?? '')) return null
  return Date.now() - bootMs() + ticks * MS_PER_TICK
}

/** The kernel's unit in /proc, whatever its timer runs at. */
const MS_PER_TICK = 10

/**
 * The process that holds a lock on a whole file (`flock`), by the file's inode; `null` = the system does not list its locks.
 */
export function lockHolders(): Map<number, number> | null {
  const text = textOf('/proc/locks')
  if (text === '' && process.platform !== 'linux') return null
  const holders = new Map<number, number>()
  for (const line of text.split('\n')) {
    const [, kind, , , pid, file] = line.trim().split(/\s+/)
    const inode = Number(file?.split(':')[2])
    if (kind === 'FLOCK' && Number(pid) > 0 && inode > 0) holders.set(inode, Number(pid))
  }
  return holders
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}
