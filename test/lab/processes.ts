/**
 * Finding and ending processes that a test started: the agent CLI runs its tools in process groups of their own, and a
 * killed CLI leaves them behind, so a kill of the child alone is not enough.
 */

import { readFileSync } from 'node:fs'
import { startOf } from '../../src/util/process/process-tree'

/** Every live descendant of `pid` with its own id first, as `ps` shows them now. */
export function processTree(pid: number): number[] {
  const table = Bun.spawnSync(['ps', '-A', '-o', 'pid=,ppid='], { stdout: 'pipe' }).stdout.toString()
  const children = new Map<number, number[]>()
  for (const row of table.split('\n')) {
    const [own, parent] = row.trim().split(/\s+/).map(Number)
    if (own === undefined || parent === undefined || Number.isNaN(parent)) continue
    children.set(parent, [...(children.get(parent) ?? []), own])
  }
  const tree = [pid]
  for (let i = 0; i < tree.length; i++) tree.push(...(children.get(tree[i] ?? 0) ?? []))
  return tree
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/**
 * Whether the process is at work. One that was killed holds its pid until it is waited for, which may take the system a second: it does
 * nothing any more.
 */
export const isRunning = (pid: number): boolean => startOf(pid) !== null

/** Whether it is stopped, or has ended. On Linux. */
export function isStill(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // `D`: a stopped child whose parent waits for its start keeps the parent in the kernel.
    return 'TDZX'.includes(stat[stat.lastIndexOf(')') + 2] ?? '')
  } catch {
    return true
  }
}

/** SIGKILLs each of `pids` that still lives. Walk the tree before the first kill: orphans have no parent to be found by. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It ended by itself.
    }
  }
}
