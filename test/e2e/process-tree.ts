/**
 * Finding and ending processes that a test started: the agent CLI runs its tools in process groups of their own, and a
 * killed CLI leaves them behind, so a kill of the child alone is not enough.
 */

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

/** Between two looks, in milliseconds: at first, and where something takes long. */
const LOOK_MS = { least: 20, most: 100 }
/** A condition that starts a process is asked again after this at most, in milliseconds. */
const SLOW_LOOK_MS = 1_000

/**
 * Resolves as soon as `condition` gives something other than `undefined` or `false`. Looks every 20 ms, less often the longer it takes,
 * and less often where a look itself takes long: whoever waits is not to keep a core busy.
 *
 * @throws Error naming `what` when it did not come true within `timeoutMs`.
 */
export async function until<T>(
  what: string,
  condition: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = 30_000,
): Promise<T> {
  const beganAt = performance.now()
  for (;;) {
    const askedAt = performance.now()
    const value = await condition()
    if (value !== undefined && value !== false) return value
    const now = performance.now()
    if (now - beganAt > timeoutMs) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`)
    const pause = Math.min(LOOK_MS.most, Math.max(LOOK_MS.least, (now - beganAt) / 20))
    await Bun.sleep(Math.max(pause, Math.min(SLOW_LOOK_MS, 2 * (now - askedAt))))
  }
}
