/**
 * `lode guard`: runs an agent's CLI for a worker, and ends it with everything that it started when the worker is gone.
 *
 * A worker that is killed can't end its CLI, and the CLI's tools run in process groups of their own. So this process stands
 * between them: the channel to the worker ends with the worker, whatever killed it. Until when the tree may act the worker says with
 * each renewal of the lease that the server acknowledged; the clock is kept here, so that a worker that stands still changes nothing.
 * The tree first stands still (it may go on when the server is there again), then it is ended. On Linux all that lose their parents become this process's children, so a walk by parent finds everything.
 */
import { closeSync, fstatSync, writeSync } from 'node:fs'
import { bootMs } from '../../../util/process/boot-clock'
import { programIn, signalOf } from '../../../util/process/boxed-program'
import {
  type EndedBy,
  encodeMessage,
  GUARD_FD,
  type GuardedProgram,
  type GuardMessage,
  openChannel,
  PASSED_SIGNALS,
  type PassedSignal,
  parseLimits,
  parseOrder,
  parseProgram,
  TOO_LATE,
} from '../../../util/process/guard-channel'
import { adoptOrphans, type Orphans, startOf, TreeHunt } from '../../../util/process/process-tree'
import { TreeFence } from '../../../util/process/tree-fence'
import { defineCommand } from '../../kit/command'

export const command = defineCommand({
  summary: "run an agent's CLI for a worker, and stop it when the worker dies",
  details: [
    'Called by workers, not by people. The worker sends the lease deadlines over file descriptor 3. At the first deadline the guard',
    'suspends the CLI and its child processes (SIGSTOP), and resumes them once the lease is renewed (SIGCONT). It kills them',
    "at the second deadline, or at once if the worker dies. The exit code is the CLI's.",
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
    wait: {
      kind: 'flag',
      help: 'wait for a run: the worker sends the program, its folder and its environment as JSON',
    },
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
const WAITS = '--wait'
const REAP_MS = 1_000

/**
 * @param typed  read here, not by the parser of commands: the program's words are its own, empty ones included
 * @param asked  aborted by a signal that came before the program was there to get it
 */
async function runGuard(typed: string[], asked: AbortSignal): Promise<number> {
  const given = programOf(typed)
  if (!hasChannel() || (given === null && !typed.includes(WAITS))) {
    process.stderr.write(
      'lode guard is run by workers. It needs --until, a COMMAND after --, and a channel on file descriptor 3.\n',
    )
    return NOT_CALLED_RIGHT
  }
  // Before the program runs: what it orphans at once would be lost.
  const orphans = await adoptOrphans().catch(() => null)
  const orders = await openOrders()
  const program = given ?? (await awaitProgram(orders, asked))
  // Its worker is gone, or wants it no more.
  if (program === null) return 0
  // The answer that gave the task may be old by now.
  if (bootMs() >= program.limits.freezeAt) {
    tell({ is: 'failed', code: TOO_LATE, message: 'the lease expired before the program could start' })
    return NOT_STARTED
  }
  const { words, cwd, env, isBoxed } = program
  let child: Bun.Subprocess
  try {
    child = Bun.spawn(words, {
      env,
      stdio: ['inherit', 'inherit', 'inherit'],
      // A session of its own: what it sends to its group does not reach the guard.
      detached: true,
      ...(cwd === '' ? {} : { cwd }),
    })
  } catch (error) {
    const { code = 'UNKNOWN', message } = error as NodeJS.ErrnoException
    tell({ is: 'failed', code, message })
    return NOT_STARTED
  }
  const inBox = isBoxed ? await programIn(child) : null
  return await new Promise((resolve) => {
    watch({ child, inBox, orphans, orders, program }, resolve)
    if (asked.aborted) child.kill('SIGTERM')
  })
}

/** The program that the words name; `null` = none, or not until when it may act. */
function programOf(typed: string[]): GuardedProgram | null {
  const end = typed.indexOf('--')
  const own = typed.slice(0, Math.max(end, 0))
  const given = (name: string): string | undefined => own.find((word) => word.startsWith(name))?.slice(name.length)
  const words = end < 0 ? [] : typed.slice(end + 1)
  const limits = parseLimits(given(UNTIL) ?? '')
  if (words.length === 0 || limits === null) return null
  const env = process.env as Record<string, string>
  return { words, cwd: given(CWD) ?? '', env, limits, isBoxed: own.includes(BOXED) }
}

/** What the worker says; kept until somebody listens. */
interface Orders {
  /** The first line; `null` = none will come. */
  first(): Promise<string | null>
  /** Hears the others from now on. @param end  nothing more comes: the worker is gone */
  listen(hear: (line: string) => void, end: () => void): void
}

async function openOrders(): Promise<Orders> {
  const kept: string[] = []
  const any = Promise.withResolvers<void>()
  let isOver = false
  let hear = (line: string): void => {
    kept.push(line)
    any.resolve()
  }
  let end = (): void => {
    isOver = true
    any.resolve()
  }
  const over = (): void => end()
  await openChannel(GUARD_FD, (line) => hear(line), over).catch(over)
  return {
    first: () => any.promise.then(() => kept.shift() ?? null),
    listen(newHear, newEnd) {
      hear = newHear
      end = newEnd
      for (const line of kept.splice(0)) hear(line)
      if (isOver) end()
    },
  }
}

/** The program that the worker names; `null` = it is gone, or this process was asked to end. */
async function awaitProgram(orders: Orders, asked: AbortSignal): Promise<GuardedProgram | null> {
  const ended = new Promise<null>((resolve) => {
    if (asked.aborted) resolve(null)
    else asked.addEventListener('abort', () => resolve(null), { once: true })
  })
  const line = await Promise.race([orders.first(), ended])
  return line === null ? null : parseProgram(line)
}

interface Watched {
  child: Bun.Subprocess
  /** The program, where `child` is the sandbox around it. */
  inBox: number | null
  orphans: Orphans | null
  orders: Orders
  program: GuardedProgram
}

/** Lets the tree stand still and go on, and ends it for one of three reasons, once; then nothing is left to do. */
function watch({ child, inBox, orphans, orders, program }: Watched, done: (exitCode: number) => void): void {
  let isOver = false
  const { LODELINE_ATTEMPT_ID: attempt } = program.env
  const tree = new TreeHunt({
    below: process.pid,
    mark: orphans === null && attempt ? `LODELINE_ATTEMPT_ID=${attempt}` : null,
  })
  const fence = new TreeFence({
    tree,
    limits: program.limits,
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
    // A look at all processes of the machine takes milliseconds; mostly nothing is left.
    if (by !== 'itself' || orphans?.areGone() !== true) tree.end(END_MS)
    const own = child.signalCode === null ? null : String(child.signalCode)
    const signal = by !== 'itself' ? 'SIGKILL' : inBox === null ? own : (own ?? signalOf(child.exitCode))
    const exit = by === 'itself' && signal === null ? child.exitCode : null
    // Whoever reads what the program wrote has all of it now, and need not wait for the end of this process.
    for (const fd of [1, 2]) closeSync(fd)
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
  const pid = inBox ?? child.pid
  tell({ is: 'started', pid, startedAt: startOf(pid) })
  fence.start()
  orders.listen(obey, () => end('worker'))
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
    // The worker is gone: nobody listens.
  }
}

/** Signals that end a process in practice; others count as SIGKILL. */
function signalNumber(name: string | null): number {
  const numbers: Record<string, number> = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGABRT: 6, SIGSEGV: 11, SIGTERM: 15 }
  return numbers[name ?? ''] ?? 9
}
