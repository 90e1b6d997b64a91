/** Which test file runs when: as many as there are cores, and more while the cores have nothing to do. */
import { cpus, freemem } from 'node:os'

export interface LaneOptions {
  /** Cores to keep busy. One runs one file at a time; with more of them, more files than jobs run while cores are idle. */
  jobs: number
  /** Expected seconds by file; what is not listed is short. */
  seconds?: Readonly<Record<string, number>>
  /** Starts no more files once it is aborted. */
  signal: AbortSignal
  /** Cores that were idle lately; measured by default. */
  idleCores?: () => number
}

/**
 * Files at a time for each job where all of them wait: each may hold a browser, a server and an agent CLI. More of them take more work for
 * the same, since they share caches: seven large files took 142 s and 263 s of work with at least three and at most six at a time on two
 * cores, and 122 s and 227 s with two and four (2026-11-27).
 */
const MOST_FOR_EACH_JOB = 2
/** A file that waits goes on at some time: it finds room then. */
const IDLE_CORES = 0.3
/** What one file takes at most, in bytes. */
const FILE_BYTES = 1_500_000_000
/** So long after a start, in milliseconds, the file's own work shows. */
const START_SHOWS_MS = 750
/** Between two looks at the cores, in milliseconds. */
const LOOK_MS = 250

const isBrowser = (file: string): boolean => file.startsWith('test/browser/')

/** Runs all files, the longest first, so that none is left over which keeps one core busy and the others idle. */
export async function runInLanes(
  files: readonly string[],
  run: (file: string) => Promise<void>,
  { jobs, seconds = {}, signal, idleCores = idleCoresOf(cpuTimes) }: LaneOptions,
): Promise<void> {
  const queue = files.toSorted((a, b) => (seconds[b] ?? 0) - (seconds[a] ?? 0))
  const running = new Map<Promise<void>, string>()
  const most = jobs > 1 ? jobs * MOST_FOR_EACH_JOB : 1
  let startedAt = Number.NEGATIVE_INFINITY
  const start = (browsers: 'first' | 'last' | 'any'): void => {
    const file = take(queue, browsers)
    if (file === undefined) return
    startedAt = performance.now()
    const done = run(file).finally(() => running.delete(done))
    running.set(done, file)
  }
  const startSome = (): void => {
    const browsers = () => [...running.values()].filter(isBrowser).length
    // A browser keeps more than one core busy, and two wait for what the other draws: a second one has to find idle cores.
    while (queue.length > 0 && running.size < jobs) start(browsers() === 0 ? 'first' : 'last')
    const isIdle = idleCores() >= IDLE_CORES
    if (running.size < jobs || running.size >= most || !isIdle) return
    if (performance.now() - startedAt < START_SHOWS_MS || freemem() < FILE_BYTES) return
    start(browsers() < 2 ? 'any' : 'last')
  }
  while (!signal.aborted && (queue.length > 0 || running.size > 0)) {
    startSome()
    const look = queue.length > 0 && running.size < most ? [Bun.sleep(LOOK_MS)] : []
    await Promise.race([...running.keys(), ...look])
  }
  await Promise.all(running.keys())
}

/** Takes the first file out, or the first of those that are to go before the others. */
function take(queue: string[], browsers: 'first' | 'last' | 'any'): string | undefined {
  const wanted = queue.findIndex((file) => browsers === 'any' || isBrowser(file) === (browsers === 'first'))
  return queue.splice(Math.max(0, wanted), 1)[0]
}

interface CpuTimes {
  at: number
  idle: number
  total: number
  cores: number
}

function cpuTimes(): CpuTimes {
  const all = cpus().map(({ times }) => times)
  const sum = (pick: (times: (typeof all)[number]) => number) => all.reduce((total, times) => total + pick(times), 0)
  return {
    at: performance.now(),
    idle: sum(({ idle }) => idle),
    total: sum(({ user, nice, sys, idle, irq }) => user + nice + sys + idle + irq),
    cores: all.length,
  }
}

/** What an average is taken of, in milliseconds: the system counts in hundredths of a second. */
const WINDOW_MS = 1_000

/** Tells at each call how many cores were idle within about the last second; 0 as long as it has looked for less. */
function idleCoresOf(read: () => CpuTimes): () => number {
  const looks = [read()]
  return () => {
    const now = read()
    looks.push(now)
    while (looks[1] !== undefined && now.at - looks[1].at >= WINDOW_MS) looks.shift()
    const [first = now] = looks
    if (now.at - first.at < WINDOW_MS || now.total <= first.total) return 0
    return ((now.idle - first.idle) / (now.total - first.total)) * now.cores
  }
}
