/**
 * Processes of this machine: parents and children, whether one is still the very same, and the end of a whole tree.
 *
 * `lode guard` loads this file at each start: node:fs only. On Linux a look costs about 20 µs a process of the machine.
 */
import { readdirSync, readFileSync } from 'node:fs'

/** A process that no other one is ever taken for, though pids are used again. */
export interface ProcessIdentity {
  pid: number
  /** As the system counts it: `<clock ticks>@<boot>` on Linux, a date with seconds on macOS. Compared, never computed with. */
  startedAt: string
}

/** A process as one look at the system saw it; one that has ended and was not waited for yet is none. */
export interface ProcessRow extends ProcessIdentity {
  parent: number
}

/** When the process began; `null` = there is none with this pid, or it has ended. */
export function startOf(pid: number): string | null {
  if (!isPid(pid)) return null
  if (process.platform === 'linux') return readStat(String(pid))?.row?.startedAt ?? null
  return listByPs(pid)[0]?.startedAt ?? null
}

export const isSameProcess = ({ pid, startedAt }: ProcessIdentity): boolean => startOf(pid) === startedAt

/** Every process that is alive now. */
export function listProcesses(): ProcessRow[] {
  if (process.platform !== 'linux') return listByPs()
  const rows: ProcessRow[] = []
  for (const name of readdirSync('/proc')) {
    const row = isNumber(name) ? readStat(name)?.row : undefined
    if (row) rows.push(row)
  }
  return rows
}

/** Descendants of `pid` at any depth, in whatever group or session they are; parents before their children. */
export function descendantsOf(pid: number, rows: readonly ProcessRow[] = listProcesses()): ProcessRow[] {
  const children = new Map<number, ProcessRow[]>()
  for (const row of rows) {
    const siblings = children.get(row.parent)
    if (siblings) siblings.push(row)
    else children.set(row.parent, [row])
  }
  const found = [...(children.get(pid) ?? [])]
  const seen = new Set(found.map((row) => row.pid).concat(pid))
  for (let i = 0; i < found.length; i++)
    for (const row of children.get(found[i]?.pid ?? 0) ?? []) {
      // A pid that was used again in the middle of the look could close a circle.
      if (seen.has(row.pid)) continue
      seen.add(row.pid)
      found.push(row)
    }
  return found
}

/** Children of this process that have ended and wait to be waited for (Linux). */
function endedChildren(): number[] {
  const ended: number[] = []
  for (const name of readdirSync('/proc')) {
    const stat = isNumber(name) ? readStat(name) : null
    if (stat && stat.row === null && stat.parent === process.pid) ended.push(Number(name))
  }
  return ended
}

export interface Orphans {
  /** Waits for those that ended, or each would stay in the process table as long as the guard; `except` is not an orphan. */
  reap(except: number): void
  /** Waits for those that had ended at the call before: who starts a process waits for it at once, so nobody will for these. */
  reapLeft(): void
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
      let before = new Set<number>()
      return {
        reapLeft() {
          const ended = new Set(endedChildren())
          for (const pid of ended) if (before.has(pid)) symbols.waitpid(pid, null, WNOHANG)
          before = ended
        },
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

/** What a hunt ends: what is below `below` (not itself), `roots` with all below them, and what carries `mark`. */
export interface HuntTarget {
  below?: number
  roots?: readonly ProcessIdentity[]
  /** `NAME=value` in a process's environment as it was started: finds what has lost its parents. */
  mark?: string | null
}

/**
 * Ends a whole tree, pass by pass. Everything found is stopped first, and looked for again until nothing new turns up, so
 * that nobody can start another process unseen; only then it is killed. What a pass has seen is hunted until it is gone,
 * also after its parents are. This process and those above it are never touched.
 *
 * `freeze` and `thaw` only let the tree stand still and go on.
 */
export class TreeHunt {
  private readonly target: HuntTarget
  private readonly tracked = new Map<number, string>()
  /** Environments don't change: each is read once. */
  private readonly marks = new Map<string, boolean>()
  /** What we stopped, in the order of it. */
  private readonly stopped = new Map<string, ProcessRow>()

  constructor(target: HuntTarget) {
    this.target = target
    for (const { pid, startedAt } of target.roots ?? []) this.tracked.set(pid, startedAt)
  }

  /** @returns how many processes it found alive and has killed; 0 = nothing is left */
  pass(): number {
    let found = this.find()
    if (found.length === 0 && this.target.mark) {
      // A process that is just starting another program shows no environment for a moment.
      Bun.sleepSync(PASS_MS)
      found = this.find()
    }
    found = this.stopAll(found)
    // Children first: a parent's end would set those of its session going again that stand still.
    for (const { pid } of found.reverse()) send(pid, 'SIGKILL')
    return found.length
  }

  /** Ends the tree at once. @returns whether nothing is left */
  end(withinMs: number): boolean {
    const deadline = performance.now() + withinMs
    while (this.pass() > 0) {
      if (performance.now() > deadline) return false
      Bun.sleepSync(PASS_MS)
    }
    return true
  }

  /** Lets everything stand still, until `thaw` or the end. May be called again, for what slipped through. @returns how many stand still */
  freeze(): number {
    return this.stopAll(this.find()).length
  }

  /** Lets go on what `freeze` stopped, children first, so that no parent sees a child stand still. @returns how many go on */
  thaw(): number {
    let count = 0
    for (const row of [...this.stopped.values()].reverse()) {
      if (!isSameProcess(row)) continue
      send(row.pid, 'SIGCONT')
      count++
    }
    this.stopped.clear()
    return count
  }

  /** Stops `found` and looks again until nothing new turns up. @returns all that it found */
  private stopAll(given: ProcessRow[]): ProcessRow[] {
    let found = given
    const stopped = new Set<string>()
    for (let look = 0; look < MAX_LOOKS; look++) {
      const fresh = found.filter((row) => !stopped.has(nameOf(row)))
      if (fresh.length === 0) break
      for (const row of fresh) {
        stopped.add(nameOf(row))
        // What stood still before is not ours to set going again.
        if (isStopped(row.pid)) continue
        send(row.pid, 'SIGSTOP')
        this.stopped.set(nameOf(row), row)
      }
      untilStopped(fresh)
      found = this.find()
    }
    return found
  }

  private find(): ProcessRow[] {
    const { below, mark } = this.target
    const rows = listProcesses()
    const spared = selfAndAbove(rows)
    const found = new Map<number, ProcessRow>()
    const add = (row: ProcessRow): void => {
      if (!spared.has(row.pid)) found.set(row.pid, row)
    }
    if (below !== undefined) for (const row of descendantsOf(below, rows)) add(row)
    for (const row of rows) {
      if (found.has(row.pid)) continue
      if (this.tracked.get(row.pid) !== row.startedAt && !(mark && this.carries(row, mark))) continue
      add(row)
      for (const child of descendantsOf(row.pid, rows)) add(child)
    }
    for (const { pid, startedAt } of found.values()) this.tracked.set(pid, startedAt)
    return [...found.values()]
  }

  private carries(row: ProcessRow, mark: string): boolean {
    // Between fork and exec a process still has its parent's environment, so a no is looked at again.
    if (this.marks.get(nameOf(row))) return true
    const carries = hasInEnvironment(row.pid, mark)
    if (carries) this.marks.set(nameOf(row), true)
    return carries
  }
}

/** Looks of one pass for what was started while it looked. */
const MAX_LOOKS = 50
/** Between two passes: the killed need a moment to be gone. */
const PASS_MS = 2

export interface GoneOptions {
  /** See `HuntTarget`. */
  mark?: string | null
  /** How long to try, in milliseconds. Default 5,000. */
  withinMs?: number
}

/**
 * Makes sure that nothing of a former process's tree is at work: kills what is left of that very process and of all below
 * it, and waits until it is gone. A process that only has its pid is not touched.
 *
 * @param former  `startedAt` null = not known: then it counts as gone only when no process has the pid
 * @returns `false` when something would not go (another user's process, or one that hangs in the kernel)
 */
export async function proveGone(
  former: { pid: number; startedAt: string | null } | null,
  options: GoneOptions = {},
): Promise<boolean> {
  const isUnknown = former !== null && former.startedAt === null
  const roots = former === null || former.startedAt === null ? [] : [former as ProcessIdentity]
  const hunt = new TreeHunt({ roots, mark: options.mark ?? null })
  const deadline = performance.now() + (options.withinMs ?? 5_000)
  for (;;) {
    const isLeft = hunt.pass() > 0 || (isUnknown && startOf(former.pid) !== null)
    if (!isLeft) return true
    if (performance.now() > deadline) return false
    await Bun.sleep(PASS_MS)
  }
}

/** The same at once, for a process that is about to end. @returns whether nothing is left */
export const endNow = (target: HuntTarget, withinMs: number): boolean => new TreeHunt(target).end(withinMs)

const nameOf = ({ pid, startedAt }: ProcessIdentity): string => `${pid} ${startedAt}`
const isNumber = (text: string): boolean => /^[1-9]\d*$/.test(text)
const isPid = (pid: number): boolean => Number.isInteger(pid) && pid > 0

function send(pid: number, signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It is gone already, or another user's: the next look tells which.
  }
}

function selfAndAbove(rows: readonly ProcessRow[]): Set<number> {
  const parents = new Map(rows.map(({ pid, parent }) => [pid, parent]))
  const spared = new Set<number>()
  for (let pid: number | undefined = process.pid; pid && !spared.has(pid); pid = parents.get(pid)) spared.add(pid)
  return spared
}

/** Longest wait for processes to stand still; one that hangs in the kernel does not. */
const STOP_MS = 20

/** A stopping process ends the system call that it is in first: a child that it is making would be seen too late. */
function untilStopped(rows: readonly ProcessRow[]): void {
  if (process.platform !== 'linux') return
  const deadline = performance.now() + STOP_MS
  const isStill = ({ pid }: ProcessRow): boolean => 'TtZXx'.includes(statOf(String(pid))?.[0] ?? 'X')
  while (!rows.every(isStill) && performance.now() < deadline) Bun.sleepSync(0.2)
}

/** Whether it stands still by a signal (Linux; elsewhere that is not known here). */
const isStopped = (pid: number): boolean => process.platform === 'linux' && statOf(String(pid))?.[0] === 'T'

/** The fields of a process's `stat` from its state on; `null` = there is no such process. */
function statOf(pid: string): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the program's name in brackets, which may hold anything, brackets and spaces included.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

/** `row` null = it has ended. */
function readStat(pid: string): { row: ProcessRow | null; parent: number } | null {
  const fields = statOf(pid)
  if (fields === null) return null
  const [state, parentText] = fields
  const ticks = fields[19]
  if (state === undefined || ticks === undefined) return null
  const parent = Number(parentText)
  if ('ZXx'.includes(state)) return { row: null, parent }
  return { row: { pid: Number(pid), parent, startedAt: `${ticks}@${bootId()}` }, parent }
}

let boot: string | undefined
/** Ticks are counted from the boot, so they say nothing without it. */
function bootId(): string {
  if (boot === undefined) {
    try {
      boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim().slice(0, 8)
    } catch {
      boot = ''
    }
  }
  return boot
}

function hasInEnvironment(pid: number, mark: string): boolean {
  if (process.platform !== 'linux') return environmentByPs(pid).includes(` ${mark} `)
  try {
    // Bytes, as a value may hold any; each entry ends with a NUL.
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1')
    const entry = `${Buffer.from(mark).toString('latin1')}\0`
    return environment.startsWith(entry) || environment.includes(`\0${entry}`)
  } catch {
    return false
  }
}

/** Where there is no /proc. @param pid  this one only */
export function listByPs(pid?: number): ProcessRow[] {
  const which = pid === undefined ? ['-A'] : ['-p', String(pid)]
  const { text, own } = ps([...which, '-o', 'pid=,ppid=,state=,lstart='])
  const rows: ProcessRow[] = []
  for (const line of text.split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line)
    if (match === null || match[3]?.startsWith('Z') || Number(match[1]) === own) continue
    rows.push({ pid: Number(match[1]), parent: Number(match[2]), startedAt: match[4] ?? '' })
  }
  return rows
}

const environmentByPs = (pid: number): string =>
  `${ps(['-E', '-ww', '-p', String(pid), '-o', 'command=']).text.trim()} `

function ps(args: string[]): { text: string; own: number } {
  const { stdout, pid } = Bun.spawnSync(['ps', ...args], {
    env: { PATH: '/bin:/usr/bin', LC_ALL: 'C' },
    stdin: 'ignore',
    stderr: 'ignore',
  })
  return { text: stdout.toString(), own: pid }
}
