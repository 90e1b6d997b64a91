import { statSync } from 'node:fs'
import { AppError } from '../../domain/errors'
import {
  type EndedBy,
  encodeLimits,
  type GuardMessage,
  type Limits,
  limitsWord,
  openChannel,
  type PassedSignal,
  parseMessage,
  TOO_LATE,
} from '../../util/process/guard-channel'
import { proveGone } from '../../util/process/process-tree'
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
  readonly exited: Promise<GuardedEnd>
}

/** A guard answers within milliseconds; one that does not is ended, and its tree from here. */
const KILL_MS = 1_500
/** Its start takes 10 ms, and a second on a machine that is far too busy. */
const START_MS = 30_000

/**
 * Starts a program under `lode guard`.
 *
 * @throws `not_found`  there is no such program
 * @throws `lease_lost` its time was over before it could begin
 * @throws `invalid`    it can't be run, the working directory is none, or `lode` itself does not start
 */
export async function spawnGuarded(options: GuardedOptions): Promise<GuardedProcess> {
  checkFolder(options.cwd)
  const guard = startGuard(options)
  let hear: (message: GuardMessage | null) => void = () => {}
  const first = new Promise<GuardMessage | null>((resolve) => {
    hear = resolve
  })
  let ended: GuardedEnd | null = null
  const onLine = (line: string): void => {
    const message = parseMessage(line)
    if (message?.is === 'ended') ended = { exitCode: message.exit, signal: message.signal, by: message.by }
    else if (message?.is === 'frozen') options.onFrozen?.(message.count, message.at)
    else if (message?.is === 'thawed') options.onThawed?.(message.count, message.at)
    else if (message) hear(message)
  }
  const channel = await openChannel(guard.stdio[3] as number, onLine, () => hear(null))
  const giveUp = setTimeout(() => guard.kill('SIGKILL'), START_MS)
  const started = await first
  clearTimeout(giveUp)
  if (started?.is !== 'started') {
    channel.close()
    throw await failure(started, guard, options)
  }
  const { pid, startedAt } = started
  const exited = guard.exited.then(async (): Promise<GuardedEnd> => {
    channel.close()
    if (ended) return ended
    const { LODELINE_ATTEMPT_ID: attempt } = options.env
    await proveGone({ pid, startedAt }, { mark: attempt ? `LODELINE_ATTEMPT_ID=${attempt}` : null })
    return { exitCode: null, signal: 'SIGKILL', by: 'guard' }
  })
  return {
    pid,
    startedAt,
    stdin: inputOf(guard.stdin),
    stdout: guard.stdout,
    stderr: guard.stderr,
    renewed: (limits) => channel.write(encodeLimits('renewed', limits)),
    held: (limits) => channel.write(encodeLimits('held', limits)),
    terminate: (signal) => channel.write(`${signal}\n`),
    async killTree() {
      channel.write('kill\n')
      const giveUp = setTimeout(() => guard.kill('SIGKILL'), KILL_MS)
      try {
        return await exited
      } finally {
        clearTimeout(giveUp)
      }
    },
    exited,
  }
}

type Guard = Bun.Subprocess<'pipe', 'pipe', 'pipe'>

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

function startGuard({ lode, box, command, args, cwd, env, limits }: GuardedOptions): Guard {
  const given = [`--cwd=${cwd}`, `--until=${limitsWord(limits)}`, ...(box?.isAround ? ['--boxed'] : [])]
  try {
    return Bun.spawn([...lode, 'guard', ...given, '--', ...(box?.words ?? []), command, ...args], {
      // Not the run's folder: what lies there must not change how `lode` itself starts.
      cwd: '/',
      env: { ...env },
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      // Ctrl-C in the worker's terminal is for the worker, which pauses its runs in order.
      detached: true,
    })
  } catch (cause) {
    throw new AppError('invalid', `${lode.join(' ')} does not start: ${(cause as Error).message}`, { cause })
  }
}

async function failure(message: GuardMessage | null, guard: Guard, options: GuardedOptions): Promise<AppError> {
  const [text] = await Promise.all([guard.stderr.text(), guard.exited])
  const { command } = options
  if (message?.is !== 'failed')
    return new AppError('invalid', `The guard of ${command} did not start: ${text.trim().slice(0, 1_000)}`, {
      details: { exitCode: guard.exitCode },
    })
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
