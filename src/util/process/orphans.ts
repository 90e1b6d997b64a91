/** Processes that lost their parents. The guard loads this file at each start. */
import { endedChildren } from './process-tree'

export interface Orphans {
  /** Waits for those that ended, or each would stay in the process table as long as the guard; `except` is not an orphan. */
  reap(except: number): void
  /** Nothing is left below this process; what had lost its parent would be its child. Only once its own children were waited for. */
  areGone(): boolean
}

/** Makes this process the parent of all below it that lose theirs (Linux; elsewhere `null`). Costs half a millisecond. */
export async function adoptOrphans(): Promise<Orphans | null> {
  if (process.platform !== 'linux') return null
  const { dlopen, FFIType } = await import('bun:ffi')
  const { i32, u64, ptr } = FFIType
  const musl = `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`
  for (const name of ['libc.so.6', musl]) {
    try {
      const { symbols } = dlopen(name, {
        prctl: { args: [i32, u64, u64, u64, u64], returns: i32 },
        waitpid: { args: [i32, ptr, i32], returns: i32 },
      })
      if (symbols.prctl(PR_SET_CHILD_SUBREAPER, 1n, 0n, 0n, 0n) !== 0) return null
      return {
        reap(except) {
          for (const pid of endedChildren()) if (pid !== except) symbols.waitpid(pid, null, WNOHANG)
        },
        areGone() {
          for (;;) {
            // 0: one is alive; -1: there is none.
            const ended = symbols.waitpid(ANY, null, WNOHANG)
            if (ended <= 0) return ended < 0
          }
        },
      }
    } catch {
      // Another libc.
    }
  }
  return null
}

const PR_SET_CHILD_SUBREAPER = 36
const WNOHANG = 1
const ANY = -1
