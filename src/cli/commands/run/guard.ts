/**
 * `lode guard`: runs an agent's CLI for a worker, and ends it with everything that it started when the worker is gone.
 *
 * A worker that is killed can't end its CLI, and the CLI's tools run in process groups of their own. So this process stands
 * between them: the channel to the worker ends with the worker, whatever killed it. Until when the tree may act the worker says with
 * each renewal of the lease that the server acknowledged; the clock is kept here, so that a worker that stands still changes nothing.
 * The tree first stands still (it may go on when the server is there again), then it is ended. On Linux all that lose their parents become this process's children, so a walk by parent finds everything.
 */
import { fstatSync, writeSync } from 'node:fs'
import { bootMs } from '../../../util/process/boot-clock'
import { programIn, signalOf } from '../../../util/process/boxed-program'
import {
  type EndedBy,
  encodeMessage,
  GUARD_FD,
  type GuardMessage,
  type Limits,
  openChannel,
  PASSED_SIGNALS,
  type PassedSignal,
  parseLimits,
  parseOrder,
  TOO_LATE,
} from '../../../util/process/guard-channel'
import { endedChildren, startOf, TreeHunt } from '../../../util/process/process-tree'
import { TreeFence } from '../../../util/process/tree-fence'
import { defineCommand } from '../../kit/command'

export const command = defineCommand({
  summary: "run an agent's CLI for a worker, and stop it when the worker dies",
  details: [
    'Called by workers, not by people. The worker sends the lease deadlines over file descriptor 3. At the first deadline the guard',
    'suspends the CLI and its child processes (SIGSTOP), and resumes them once the lease is renewed (SIGCONT). It kills them',
    "before the lease expires, or at once if the worker dies. The exit code is the CLI's.",
  ].join('\n'),
  args: [{ name: 'COMMAND', help: 'the program and its arguments, after --', isRepeated: true }],
  options: {
    cwd: { kind: 'text', value: 'DIR', help: "the program's working directory", complete: 'folder' },
    until: {
      kind: 'text',
      value: 'STILL,END',
      help: 'when to suspend the program and when to kill it, in milliseconds since boot',
    },
    boxed: { kind: 'flag', help: 'COMMAND is bwrap, which runs the program in a sandbox: signals go to the program' },
  },
  examples: [
    {
      line: 'lode guard --cwd=/work --until=9000,12750 -- /usr/bin/claude -p',
      does: 'run claude under the lease of the worker',
    },
  ],
  hasJson: false,
  isForPrograms: true,
  run: async ({ signal }) => await runGuard(process.argv.slice(2), signal),
})

/** Exit codes when there is nothing to guard, as shells have them. */
const NOT_CALLED_RIGHT = 2
const NOT_STARTED = 127
/** How long the end of a tree is tried; what is left then hangs in the kernel, or is another user's. */
const END_MS = 2_000
const CWD = '--cwd='
const UNTIL = '--until='
const BOXED = '--boxed'
const REAP_MS = 1_000

/**
 * @param typed  read here, not by the parser of commands: the program's words are its own, empty ones included
 * @param asked  aborted by a signal that came before the program was there to get it
 */
async function runGuard(typed: string[], asked: AbortSignal): Promise<number> {
  const end = typed.indexOf('--')
  const words = end < 0 ? [] : typed.slice(end + 1)
  const given = (name: string): string | undefined =>
    typed
      .slice(0, Math.max(end, 0))
      .find((word) => word.startsWith(name))
      ?.slice(name.length)
  const cwd = given(CWD)
  const limits = parseLimits(given(UNTIL) ?? '')
  if (!hasChannel() || words.length === 0 || limits === null) {
    process.stderr.write(
      'lode guard is run by workers. It needs --until, a COMMAND after --, and a channel on file descriptor 3.\n',
    )
    return NOT_CALLED_RIGHT
  }
  // Before the program runs: what it orphans at once would be lost.
  const orphans = await adoptOrphans().catch(() => null)
  // The answer that gave the task may be old by now.
  if (bootMs() >= limits.freezeAt) {
    tell({ is: 'failed', code: TOO_LATE, message: 'the lease expired before the program could start' })
    return NOT_STARTED
  }
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
  const inBox = typed.slice(0, end).includes(BOXED) ? await programIn(child) : null
  return await new Promise((resolve) => {
    watch(child, inBox, orphans, limits, resolve)
    if (asked.aborted) child.kill('SIGTERM')
  })
}

/**
 * Lets the tree stand still and go on, and ends it for one of three reasons, once; then nothing is left to do.
 *
 * @param inBox  the program, where `child` is the sandbox around it
 */
function watch(
  child: Bun.Subprocess,
  inBox: number | null,
  orphans: Orphans | null,
  limits: Limits,
  done: (exitCode: number) => void,
): void {
  let isOver = false
  const { LODELINE_ATTEMPT_ID: attempt } = process.env
  const tree = new TreeHunt({
    below: process.pid,
    mark: orphans === null && attempt ? `LODELINE_ATTEMPT_ID=${attempt}` : null,
  })
  const fence = new TreeFence({
    tree,
    limits,
    onFrozen: (count) => tell({ is: 'frozen', count, at: Math.floor(bootMs()) }),
    onThawed: (count) => tell({ is: 'thawed', count, at: Math.floor(bootMs()) }),
    onEnd: () => end('deadline'),
  })
  const reaping = orphans === null ? undefined : setInterval(() => orphans.reap(child.pid), REAP_MS)
  const end = (by: EndedBy): void => {
    if (isOver) return
    isOver = true
    clearInterval(reaping)
    fence.stop()
    tree.end(END_MS)
    const own = child.signalCode === null ? null : String(child.signalCode)
    const signal = by !== 'itself' ? 'SIGKILL' : inBox === null ? own : (own ?? signalOf(child.exitCode))
    const exit = by === 'itself' && signal === null ? child.exitCode : null
    tell({ is: 'ended', exit, signal, by })
    done(exit ?? 128 + signalNumber(signal))
  }

  const signalProgram = (name: PassedSignal): void => {
    if (inBox === null) child.kill(name)
    else if (child.exitCode === null && child.signalCode === null) process.kill(inBox, name)
  }
  // Whatever ends this process, a mistake of ours included, the tree goes with it.
  process.on('exit', () => {
    if (!isOver) tree.end(END_MS)
  })
  for (const name of PASSED_SIGNALS) {
    process.removeAllListeners(name)
    process.on(name, () => signalProgram(name))
  }
  const obey = (line: string): void => {
    const order = parseOrder(line)
    if (order === null || isOver) return
    if (order.is === 'kill') end('worker')
    else if (order.is === 'signal') signalProgram(order.signal)
    else if (order.is === 'renewed') fence.renewed(order)
    else fence.held(order)
  }
  openChannel(GUARD_FD, obey, () => end('worker')).catch(() => end('worker'))
  const pid = inBox ?? child.pid
  tell({ is: 'started', pid, startedAt: startOf(pid) })
  fence.start()
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
      return {
        reap(except) {
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
