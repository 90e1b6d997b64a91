import { closeSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs'

/** Times in milliseconds, summed up. */
export interface Spread {
  count: number
  p50Ms: number
  p99Ms: number
  maxMs: number
}

/** @param times  milliseconds, in any order */
export function spread(times: number[]): Spread {
  const sorted = Float64Array.from(times).sort()
  const at = (share: number): number =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
  return { count: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: round(sorted.at(-1) ?? 0) }
}

/** Three significant places are more than such figures mean. */
export function round(value: number): number {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(3))
}

/** The middle one of some values, in any order. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** Times `count` calls one after another. */
export async function timeEach(count: number, call: (index: number) => unknown): Promise<number[]> {
  const times: number[] = []
  for (let index = 0; index < count; index++) {
    const before = performance.now()
    await call(index)
    times.push(performance.now() - before)
  }
  return times
}

/** Memory and processor time of a process, from `/proc`; Linux only. */
export interface ProcessState {
  /** Resident now and at most so far, in MB (10⁶ bytes): files mapped into memory (the executable) included. */
  rssMb: number
  peakMb: number
  /** The part of `rssMb` that is no mapped file. */
  ownMb: number
  /** User and system time so far, in seconds. */
  cpuSeconds: number
}

export function processState(pid: number): ProcessState {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const megabytes = (field: string): number =>
    round((Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) * 1_024) / 1e6)
  // The name before the fields may hold spaces; user and system time are the 12th and 13th after it, in 1/100 s.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const cpuSeconds = (Number(fields[11]) + Number(fields[12])) / 100
  return { rssMb: megabytes('VmRSS'), peakMb: megabytes('VmHWM'), ownMb: megabytes('RssAnon'), cpuSeconds }
}

/** Durable appends a second at `path`'s disk: 4 KiB and `fdatasync`, for half a second. */
export function measureSyncs(path: string): { perSecond: number; p50Ms: number; p99Ms: number } {
  const file = openSync(path, 'a')
  const page = Buffer.alloc(4_096, 1)
  const times: number[] = []
  try {
    const end = performance.now() + 500
    for (let before = performance.now(); before < end; before = performance.now()) {
      writeSync(file, page)
      fdatasyncSync(file)
      times.push(performance.now() - before)
    }
  } finally {
    closeSync(file)
  }
  const { p50Ms, p99Ms } = spread(times)
  return { perSecond: round(times.length / 0.5), p50Ms, p99Ms }
}
