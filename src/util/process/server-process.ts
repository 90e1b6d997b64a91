/** Which process is the server of a Lodeline folder, and when it is provably gone. */
import { readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { startOf } from './process-tree'

/** A server's process, as it writes it to `server.json` in its folder. */
export interface ServerProcess {
  /** Random, new with each start. */
  instance: string
  pid: number
  /** As `util/process/process-tree.ts` has it. */
  processStart: string
  /** Where the pid means something: see `processPlace`. */
  place: string
}

/**
 * The space in which this process's pid is unique and its neighbours can be seen: this boot of this machine, and on Linux the pid namespace
 * (a container has its own). `null` where that is not known: nothing is proven there.
 */
export function processPlace(): string | null {
  place ??= readPlace()
  return place
}

let place: string | null | undefined

function readPlace(): string | null {
  try {
    if (process.platform === 'linux') {
      const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()
      return boot === '' ? null : `${boot} ${readlinkSync('/proc/self/ns/pid')}`
    }
    if (process.platform !== 'darwin') return null
    const { stdout } = Bun.spawnSync(['/usr/sbin/sysctl', '-n', 'kern.bootsessionuuid'], { stderr: 'ignore' })
    return stdout.toString().trim() || null
  } catch {
    return null
  }
}

/** What a server on this folder writes of itself; `null` where its end could not be proven. */
export function ownProcess(instance: string): ServerProcess | null {
  const processStart = startOf(process.pid)
  const own = processPlace()
  return processStart === null || own === null ? null : { instance, pid: process.pid, processStart, place: own }
}

/** What `server.json` says. `none`: there is no such file; `unknown`: it says nothing that proves anything. */
export function readServerProcess(home: string): ServerProcess | 'none' | 'unknown' {
  let text: string
  try {
    text = readFileSync(join(home, 'server.json'), 'utf8')
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'none' : 'unknown'
  }
  try {
    const { process: found } = JSON.parse(text) as { process?: Partial<Record<keyof ServerProcess, unknown>> | null }
    if (found === null || found === undefined) return 'unknown'
    const { instance, pid, processStart, place: where } = found
    if (typeof instance !== 'string' || typeof processStart !== 'string' || typeof where !== 'string') return 'unknown'
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return 'unknown'
    return { instance, pid, processStart, place: where }
  } catch {
    return 'unknown'
  }
}

/**
 * Whether that very process has ended. Only who shares its place can know: elsewhere its pid is nobody's or somebody else's. A process
 * that can't be looked at (another user's, hidden) is there.
 */
export function isProvenGone({ pid, processStart, place: where }: ServerProcess): boolean {
  if (where !== processPlace()) return false
  const start = startOf(pid)
  // Somebody has the pid. One that the system still keeps, ended, for its parent shows no start.
  if (start !== null) return start !== processStart
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
  return isEnded(pid)
}

/** Whether the process is one that has ended and was not waited for (Linux; elsewhere that is not known here). */
function isEnded(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return 'ZX'.includes(stat[stat.lastIndexOf(')') + 2] ?? ' ')
  } catch {
    return false
  }
}
