/** The processes of runs, found by what only they carry: the identity of their attempt in their environment. */
import { readFileSync } from 'node:fs'
import { listProcesses } from '../../../src/util/process/process-tree'

/**
 * Pids of the live processes of one attempt, or of all attempts of workers with this folder. On Linux, where environments can be read in
 * /proc; elsewhere by `ps`.
 */
export function processesOf(of: { attempt?: string | undefined; home?: string }): number[] {
  const isMark = (text: string): boolean =>
    of.attempt === undefined
      ? text.startsWith(`LODELINE_RUN_DIR=${of.home}/`)
      : text === `LODELINE_ATTEMPT_ID=${of.attempt}`
  return listProcesses()
    .map(({ pid }) => pid)
    .filter((pid) => environmentOf(pid).some(isMark))
}

/** The number of a process on its own machine, where it has pids of its own. */
export function pidWithin(pid: number): number {
  if (process.platform !== 'linux') return pid
  try {
    const all = /^NSpid:\s+(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? ''
    return Number(all.split(/\s+/).at(-1))
  } catch {
    return pid
  }
}

function environmentOf(pid: number): string[] {
  if (process.platform === 'linux') {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0')
    } catch {
      return []
    }
  }
  const shown = Bun.spawnSync(['ps', '-E', '-ww', '-p', String(pid), '-o', 'command='])
  return shown.stdout.toString().split(/\s+/)
}
