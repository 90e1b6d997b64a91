/**
 * A clock that all processes of this machine share and that goes on while the machine sleeps; where it began says nothing.
 *
 * `performance.now()` is neither: it begins with each process, and stands still while the machine sleeps. The guard loads this file
 * at each start: what costs time is loaded where it is needed.
 */
import { openSync, readSync } from 'node:fs'

/** Milliseconds; on Linux a hundredth of a second is the least difference. */
export function bootMs(): number {
  read ??= process.platform === 'linux' ? byUptime() : byLibrary()
  return read()
}

let read: (() => number) | undefined

/** Reads `CLOCK_BOOTTIME`; half a thousandth of a millisecond of work. Held open, so that it can't fail later for want of files. */
function byUptime(): () => number {
  const fd = openSync('/proc/uptime', 'r')
  const bytes = Buffer.alloc(64)
  return () => Number.parseFloat(bytes.toString('latin1', 0, readSync(fd, bytes, 0, bytes.length, 0))) * 1_000
}

function byLibrary(): () => number {
  try {
    const { dlopen } = import.meta.require('bun:ffi') as typeof import('bun:ffi')
    const { symbols } = dlopen('libSystem.dylib', { clock_gettime_nsec_np: { args: ['int'], returns: 'u64' } })
    return () => Number(symbols.clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW) / 1_000_000n)
  } catch {
    // It goes on in sleep and is everybody's; a person who sets it back is the lesser evil.
    return Date.now
  }
}

/** On macOS: goes on in sleep, as its `CLOCK_UPTIME_RAW` does not. */
const CLOCK_MONOTONIC_RAW = 4
