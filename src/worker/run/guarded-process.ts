import { statSync } from 'node:fs'
import { AppError } from '../../domain/errors'
import {
  type EndedBy,
  encodeLimits,
  encodeProgram,
  type GuardChannel,
  type GuardMessage,
  type Limits,
  limitsWord,
  openChannel,
  type PassedSignal,
  parseMessage,
  TOO_LATE,
} from '../../util/process/guard-channel'
import { type ProcessIdentity, proveGone, startOf } from '../../util/process/process-tree'
import type { Box } from '../sandbox/sandbox'

export interface GuardedOptions {
  /** argv that starts `lode`. */
  lode: readonly string[]
  /** Words before the program's own, which start it in a sandbox; none = it runs as it is. */
  box?: Pick<Box, 'words' | 'isAround'>
  /** The program, absolute, and its arguments: never a shell. */
  command: string
  args: readonly string[]
  /** Absolute. */
  cwd: string
  /** The whole environment of the program; nothing of this process's is added. */
  env: Readonly<Record<string, string>>
  /** Until when the program may act before `renewed` is called. */
  limits: Limits
  /** The whole tree is paused or continues: the number of processes, and since when (as in `limits`). */
  onFrozen?: (count: number, at: number) => void
  onThawed?: (count: number, at: number) => void
}

/** How the program ended. With `by` other than `itself` it was killed, with everything that it had started. */
export interface GuardedEnd {
  /** `null` when a signal ended it. */
  exitCode: number | null
  signal: string | null
  /** `guard`: the guard was killed; the program was ended from here. */
  by: EndedBy | 'guard'
}

/** A program that ends with this process, or when its lease is not renewed in time, together with all that it started. */
export interface GuardedProcess {
  /** The program's, not the guard's. */
  readonly pid: number
  /** As `util/process/process-tree.ts` has it; `null` when it ended at once. */
  readonly startedAt: string | null
  /** The guard; `null` when it ended at once. */
  readonly guard: ProcessIdentity | null
  readonly stdin: {
    /** Resolves when the system took it; also when the program reads no more. */
    write(text: string | Uint8Array): Promise<void>
    end(): Promise<void>
  }
  /** Ends when the program and everything that writes there is gone. */
  readonly stdout: ReadableStream<Uint8Array>
  readonly stderr: ReadableStream<Uint8Array>
  /** The server acknowledged a renewal: what stands still goes on. */
  renewed(limits: Limits): void
  /** The lease stands still: nothing goes on by it, and nothing is ended before. */
  held(limits: Limits): void
  /** Sends a signal to the program alone. */
  terminate(signal: PassedSignal): void
  /** Ends the program and everything that it started, at once. Resolves when all is gone, as `exited`. */
  killTree(): Promise<GuardedEnd>
  /** Resolves when nothing of the tree is left: what the program leaves behind when it ends by itself is ended, too. */
  readonly ended: Promise<GuardedEnd>
  /** The same, and its guard is gone. */
  readonly exited: Promise<GuardedEnd>
}

/** A guard answers within milliseconds; one that does not is ended, and its tree from here. */
const KILL_MS = 1_500
/** Its start takes 10 ms, and a second on a machine that is far too busy. */
const START_MS = 30_000

/**
 * Starts a program under `lode guard`.
 *
 * @param waiting  a guard that was started before, to be used; `null` = one is started
 * @throws `not_found`  there is no such program
 * @throws `lease_lost` its time was over before it could begin
 * @throws `invalid`    it can't be run, the working directory is none, or `lode` itself does not start
 * @throws `unavailable` the guard was killed before it began
 */
export async function spawnGuarded(options: GuardedOptions, waiting: Guard | null = null): Promise<GuardedProcess> {
  checkFolder(options.cwd)
  if (waiting !== null) {
    const { command, args, cwd, env, limits, box } = options
    const words = [...(box?.words ?? []), command, ...args]
    waiting.channel.write(encodeProgram({ words, cwd, env, limits, isBoxed: box?.isAround ?? false }))
    const begun = await begin(waiting, options)
    if (begun !== null) return begun
    // It died. Whether it had started the program is not known.
    await proveGone(null, { mark: markOf(options) })
  }
  const guard = await Guard.start(options.lode, argumentsOf(options), options.env)
  const begun = await begin(guard, options)
  if (begun !== null) return begun
  const text = await guard.process.stderr.text()
  await guard.process.exited
  // One that was killed says nothing of the program: another try may go well.
  throw new AppError(
    guard.process.signalCode === null ? 'invalid' : 'unavailable',
    `The guard of ${options.command} did not start: ${text.trim().slice(0, 1_000)}`,
    {
      details: { exitCode: guard.process.exitCode },
    },
  )
}

/** A process of `lode guard`, and the channel to it. */
export class Guard {
  readonly process: Bun.Subprocess<'pipe', 'pipe', 'pipe'>
  readonly channel: GuardChannel
  #hear: ((message: GuardMessage | null) => void) | null = null
  #isOver = false

  private constructor(process: Guard['process'], channel: GuardChannel) {
    this.process = process
    this.channel = channel
  }

  /**
   * @param words  after `lode guard`
   * @throws `invalid` there is no such program
   */
  static async start(
    lode: readonly string[],
    words: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<Guard> {
    const guard = spawn([...lode, 'guard', ...words], env)
    let say: (message: GuardMessage | null) => void = () => {}
    const onLine = (line: string): void => {
      const message = parseMessage(line)
      if (message !== null) say(message)
    }
    const channel = await openChannel(guard.stdio[3] as number, onLine, () => say(null))
    const started = new Guard(guard, channel)
    say = (message) => {
      if (message === null) started.#isOver = true
      started.#hear?.(message)
    }
    return started
  }

  /** It takes no more messages. */
  get isOver(): boolean {
    return this.#isOver || this.process.exitCode !== null || this.process.signalCode !== null
  }

  /** Hears what it says from now on. It says nothing before it has a program. `null` = nothing more. */
  listen(hear: (message: GuardMessage | null) => void): void {
    this.#hear = hear
    if (this.#isOver) hear(null)
  }
}

/** Waits until the guard has started the program. @returns `null` when it ended without a word */
async function begin(guard: Guard, options: GuardedOptions): Promise<GuardedProcess | null> {
  const { process, channel } = guard
  const first = Promise.withResolvers<GuardMessage | null>()
  const ended = Promise.withResolvers<GuardedEnd>()
  let isEnded = false
  guard.listen((message) => {
    if (message?.is === 'ended') {
      isEnded = true
      ended.resolve({ exitCode: message.exit, signal: message.signal, by: message.by })
    } else if (message?.is === 'frozen') options.onFrozen?.(message.count, message.at)
    else if (message?.is === 'thawed') options.onThawed?.(message.count, message.at)
    else first.resolve(message)
  })
  const giveUp = setTimeout(() => process.kill('SIGKILL'), START_MS)
  const started = await first.promise
  clearTimeout(giveUp)
  if (started?.is !== 'started') {
    channel.close()
    await process.exited
    if (started?.is === 'failed') throw failure(started, options.command)
    return null
  }
  const { pid, startedAt } = started
  const exited = process.exited.then(async (): Promise<GuardedEnd> => {
    channel.close()
    if (!isEnded) {
      await proveGone({ pid, startedAt }, { mark: markOf(options) })
      ended.resolve({ exitCode: null, signal: 'SIGKILL', by: 'guard' })
    }
    return await ended.promise
  })
  return {
    pid,
    startedAt,
    guard: identityOf(process.pid),
    stdin: inputOf(process.stdin),
    stdout: process.stdout,
    stderr: process.stderr,
    renewed: (limits) => channel.write(encodeLimits('renewed', limits)),
    held: (limits) => channel.write(encodeLimits('held', limits)),
    terminate: (signal) => channel.write(`${signal}\n`),
    async killTree() {
      channel.write('kill\n')
      const giveUp = setTimeout(() => process.kill('SIGKILL'), KILL_MS)
      try {
        return await exited
      } finally {
        clearTimeout(giveUp)
      }
    },
    ended: ended.promise,
    exited,
  }
}

function identityOf(pid: number): ProcessIdentity | null {
  const startedAt = startOf(pid)
  return startedAt === null ? null : { pid, startedAt }
}

/** The variable that marks processes whose guard and worker are lost. */
function markOf({ env: { LODELINE_ATTEMPT_ID: attempt } }: GuardedOptions): string | null {
  return attempt ? `LODELINE_ATTEMPT_ID=${attempt}` : null
}

function checkFolder(cwd: string): void {
  let isFolder = false
  try {
    isFolder = statSync(cwd).isDirectory()
  } catch {
    // The same to the caller.
  }
  if (!isFolder)
    throw new AppError('invalid', `The working directory ${cwd} does not exist.`, {
      hint: 'Create it, or give the task another folder with --dir.',
    })
}

function argumentsOf({ box, command, args, cwd, limits }: GuardedOptions): string[] {
  const given = [`--cwd=${cwd}`, `--until=${limitsWord(limits)}`, ...(box?.isAround ? ['--boxed'] : [])]
  return [...given, '--', ...(box?.words ?? []), command, ...args]
}

function spawn(words: readonly string[], env: Readonly<Record<string, string>>): Guard['process'] {
  try {
    return Bun.spawn([...words], {
      // Not the run's folder: what lies there must not change how `lode` itself starts.
      cwd: '/',
      env: { ...env },
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      // Ctrl-C in the worker's terminal is for the worker, which pauses its runs in order.
      detached: true,
    })
  } catch (cause) {
    throw new AppError('invalid', `${words[0]} does not start: ${(cause as Error).message}`, { cause })
  }
}

function failure(message: Extract<GuardMessage, { is: 'failed' }>, command: string): AppError {
  if (message.code === TOO_LATE)
    return new AppError('lease_lost', 'The lease ended before the run could begin.', {
      hint: 'Nothing was run. The task is queued again.',
    })
  if (message.code === 'ENOENT' || message.code === 'ENOTDIR')
    return new AppError('not_found', `There is no program ${command}.`, {
      hint: 'Install the agent CLI, or set its path with agents.<name>.executable.',
    })
  return new AppError('invalid', `${command} can't be run: ${message.message}`, { details: { code: message.code } })
}

function inputOf(sink: Bun.FileSink): GuardedProcess['stdin'] {
  const settle = async (done: () => unknown): Promise<void> => {
    try {
      await done()
    } catch {
      // It reads no more: how it ended says why.
    }
  }
  return {
    write: (text) =>
      settle(async () => {
        sink.write(text)
        await sink.flush()
      }),
    end: () => settle(() => sink.end()),
  }
}
