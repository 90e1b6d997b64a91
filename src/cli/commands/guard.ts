/**
 * `lode guard`: runs an agent's CLI for a worker, and ends it with everything that it started when the worker is gone.
 *
 * A worker that is killed can't end its CLI, and the CLI's tools run in process groups of their own. So this process stands
 * between them: the channel to the worker ends with the worker, whatever killed it, and a worker that stands still misses
 * its deadline. On Linux all that lose their parents become this process's children, so a walk by parent finds everything.
 */
import { fstatSync, writeSync } from 'node:fs'
import {
  type EndedBy,
  encodeMessage,
  FIRST_DEADLINE_MS,
  GUARD_FD,
  type GuardMessage,
  openChannel,
  PASSED_SIGNALS,
  parseOrder,
} from '../../util/guard-channel'
import { endedChildren, endNow, startOf } from '../../util/process-tree'
import { defineCommand } from '../command'

export const command = defineCommand({
  summary: "run an agent's CLI for a worker, and end it with the worker",
  details: [
    'Called by workers, not by people: it is told how long the CLI may live over file descriptor 3, and ends the CLI',
    'and everything that it started when that time is over or the worker is gone. Its exit code is that of the CLI.',
  ].join('\n'),
  args: [{ name: 'COMMAND', help: 'the program and its arguments, after --', isRepeated: true }],
  options: { cwd: { kind: 'text', value: 'DIR', help: "the program's working directory", complete: 'folder' } },
  examples: [
    { line: 'lode guard --cwd=/work -- /usr/bin/claude -p', does: 'run claude as long as the worker wants it' },
  ],
  hasJson: false,
  run: async ({ signal }) => await runGuard(process.argv.slice(2), signal),
})

/** Exit codes when there is nothing to guard, as shells have them. */
const NOT_CALLED_RIGHT = 2
const NOT_STARTED = 127
/** How long the end of a tree is tried; what is left then hangs in the kernel, or is another user's. */
const END_MS = 2_000
/** Orders that came at the last moment are still read. */
const LAST_LOOK_MS = 5
/** A timer that is so late tells that the machine stood still: the worker gets this long to say that it lives. */
const OVERSLEPT_MS = 1_000
const CWD = '--cwd='
const REAP_MS = 1_000

/**
 * @param typed  read here, not by the parser of commands: the program's words are its own, empty ones included
 * @param asked  aborted by a signal that came before the program was there to get it
 */
async function runGuard(typed: string[], asked: AbortSignal): Promise<number> {
  const end = typed.indexOf('--')
  const words = end < 0 ? [] : typed.slice(end + 1)
  const cwd = typed
    .slice(0, Math.max(end, 0))
    .find((word) => word.startsWith(CWD))
    ?.slice(CWD.length)
  if (!hasChannel() || words.length === 0) {
    process.stderr.write('lode guard is run by workers: COMMAND after --, and a channel on file descriptor 3.\n')
    return NOT_CALLED_RIGHT
  }
  // Before the program runs: what it orphans at once would be lost.
  const orphans = await adoptOrphans().catch(() => null)
  let child: Bun.Subprocess
  try {
    child = Bun.spawn(words, {
      env: process.env,
      stdio: ['inherit', 'inherit', 'inherit'],
      // A session of its own: what it sends to its group does not reach the guard.
      detached: true,
      ...(cwd === undefined ? {} : { cwd }),
    })
  } catch (error) {
    const { code = 'UNKNOWN', message } = error as NodeJS.ErrnoException
    tell({ is: 'failed', code, message })
    return NOT_STARTED
  }
  return await new Promise((resolve) => {
    watch(child, orphans, resolve)
    if (asked.aborted) child.kill('SIGTERM')
  })
}

/** Ends the tree for one of three reasons, once; then nothing is left to do. */
function watch(child: Bun.Subprocess, orphans: Orphans | null, done: (exitCode: number) => void): void {
  let isOver = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const endTree = (): void => {
    const { LODELINE_ATTEMPT_ID: attempt } = process.env
    const mark = orphans === null && attempt ? `LODELINE_ATTEMPT_ID=${attempt}` : null
    endNow({ below: process.pid, mark }, END_MS)
  }
  const end = (by: EndedBy): void => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    endTree()
    const exit = by === 'itself' ? child.exitCode : null
    const signal = by !== 'itself' ? 'SIGKILL' : child.signalCode === null ? null : String(child.signalCode)
    tell({ is: 'ended', exit, signal, by })
    done(exit ?? 128 + signalNumber(signal))
  }
  const arm = (ms: number): void => {
    clearTimeout(timer)
    const due = performance.now() + ms
    timer = setTimeout(() => {
      const isOverslept = performance.now() - due > OVERSLEPT_MS
      timer = setTimeout(() => end('deadline'), isOverslept ? OVERSLEPT_MS : LAST_LOOK_MS)
    }, ms)
  }

  // Whatever ends this process, a mistake of ours included, the tree goes with it.
  process.on('exit', () => {
    if (!isOver) endTree()
  })
  for (const name of PASSED_SIGNALS) {
    process.removeAllListeners(name)
    process.on(name, () => child.kill(name))
  }
  arm(FIRST_DEADLINE_MS)
  const obey = (line: string): void => {
    const order = parseOrder(line)
    if (order === null || isOver) return
    if (order.is === 'kill') end('worker')
    else if (order.is === 'signal') child.kill(order.signal)
    else {
      arm(order.ms)
      orphans?.reap(child.pid)
    }
  }
  openChannel(GUARD_FD, obey, () => end('worker')).catch(() => end('worker'))
  tell({ is: 'started', pid: child.pid, startedAt: startOf(child.pid) })
  child.exited.then(
    () => end('itself'),
    () => end('itself'),
  )
}

function hasChannel(): boolean {
  try {
    return fstatSync(GUARD_FD).isSocket()
  } catch {
    return false
  }
}

function tell(message: GuardMessage): void {
  try {
    writeSync(GUARD_FD, encodeMessage(message))
  } catch {
    // The worker is gone: nobody is there to be told.
  }
}

interface Orphans {
  /** Waits for those that ended, or each would stay in the process table as long as the guard; `except` is not an orphan. */
  reap(except: number): void
}

/** Makes this process the parent of all below it that lose theirs (Linux; elsewhere `null`). Costs half a millisecond. */
async function adoptOrphans(): Promise<Orphans | null> {
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
      let reapedAt = Number.NEGATIVE_INFINITY
      return {
        reap(except) {
          if (performance.now() - reapedAt < REAP_MS) return
          reapedAt = performance.now()
          for (const pid of endedChildren()) if (pid !== except) symbols.waitpid(pid, null, WNOHANG)
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

/** Of the signals that end a process in practice; others count as SIGKILL. */
function signalNumber(name: string | null): number {
  const numbers: Record<string, number> = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGABRT: 6, SIGSEGV: 11, SIGTERM: 15 }
  return numbers[name ?? ''] ?? 9
}
