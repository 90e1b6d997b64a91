/**
 * What a worker and its `lode guard` say to one another, a line each, over the guard's file descriptor 3.
 * The guard loads this file at each start: it imports nothing.
 */
export const GUARD_FD = 3

/** The code of `failed` when the program was not started because it could not have acted any more. */
export const TOO_LATE = 'ETOOLATE'

/** What the worker may have sent to the guarded process. */
export const PASSED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
export type PassedSignal = (typeof PASSED_SIGNALS)[number]

/**
 * Until when the tree may act: from `freezeAt` on it stands still, at `endAt` it is ended. Milliseconds of `util/process/boot-clock.ts`: points
 * in time and not spans, so that an order that lay about for long says nothing else.
 */
export interface Limits {
  freezeAt: number
  endAt: number
}

/**
 * Worker to guard. `renewed`: the server acknowledged a renewal, and a tree that stands still goes on. `held`: the lease stands still,
 * and so does the time, but nothing goes on by it. A signal is for the process alone; `kill` is the end of the whole tree, now. The
 * end of the channel is the worker's death and means `kill`.
 */
export type GuardOrder = ({ is: 'renewed' | 'held' } & Limits) | { is: 'signal'; signal: PassedSignal } | { is: 'kill' }

/** Why there is no guarded process any more. `worker`: it said so, or is gone. */
export type EndedBy = 'itself' | 'deadline' | 'worker'

/**
 * Guard to worker: the first message once, then `ended` once, when nothing of the tree is left. `frozen` and `thawed` say how many
 * processes stand still or go on, and since when (as `Limits` has it): a worker that stood still itself hears of it late.
 */
export type GuardMessage =
  | { is: 'started'; pid: number; startedAt: string | null }
  | { is: 'frozen'; count: number; at: number }
  | { is: 'thawed'; count: number; at: number }
  | { is: 'failed'; code: string; message: string }
  | { is: 'ended'; exit: number | null; signal: string | null; by: EndedBy }

/** The first line for a guard that was started before there was a run; any other guard has it in its arguments. */
export interface GuardedProgram {
  /** The program and its arguments. */
  words: string[]
  cwd: string
  /** The program's whole environment. */
  env: Record<string, string>
  limits: Limits
  /** The program is a sandbox around another one, which gets the signals. */
  isBoxed: boolean
}

export const encodeProgram = (program: GuardedProgram): string => `${JSON.stringify(program)}\n`

/** The inverse of `encodeProgram`, for the guard alone, which has no other caller than its worker; `null` = none. */
export function parseProgram(line: string): GuardedProgram | null {
  try {
    const program = JSON.parse(line) as GuardedProgram
    return Array.isArray(program.words) && program.words.length > 0 ? program : null
  } catch {
    return null
  }
}

/** `null` = not understood; a guard that meets such a line goes on. */
export function parseOrder(line: string): GuardOrder | null {
  if (line === 'kill') return { is: 'kill' }
  const signal = PASSED_SIGNALS.find((name) => name === line)
  if (signal !== undefined) return { is: 'signal', signal }
  const limits = /^(renewed|held) (\d{1,15}) (\d{1,15})$/.exec(line)
  if (limits === null) return null
  return { is: limits[1] === 'held' ? 'held' : 'renewed', freezeAt: Number(limits[2]), endAt: Number(limits[3]) }
}

export const encodeLimits = (state: 'renewed' | 'held', limits: Limits): string =>
  `${state} ${limitsWord(limits, ' ')}\n`

/** As the guard's own argument has them. */
export const limitsWord = ({ freezeAt, endAt }: Limits, between = ','): string =>
  [freezeAt, endAt].map((ms) => Math.max(0, Math.floor(ms))).join(between)

/** The inverse of `limitsWord`; `null` = none. */
export function parseLimits(word: string): Limits | null {
  const match = /^(\d{1,15}),(\d{1,15})$/.exec(word)
  return match === null ? null : { freezeAt: Number(match[1]), endAt: Number(match[2]) }
}

export function encodeMessage(message: GuardMessage): string {
  if (message.is === 'started') return `${JSON.stringify({ pid: message.pid, startedAt: message.startedAt })}\n`
  if (message.is === 'frozen' || message.is === 'thawed')
    return `${JSON.stringify({ [message.is]: message.count, at: message.at })}\n`
  if (message.is === 'failed') return `${JSON.stringify({ error: message.code, message: message.message })}\n`
  return `${JSON.stringify({ exit: message.exit, signal: message.signal, by: message.by })}\n`
}

/** The inverse of `encodeMessage`; `null` = no message. */
export function parseMessage(line: string): GuardMessage | null {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const { pid, startedAt, frozen, thawed, at, error, message, exit, signal, by } = value as Record<string, unknown>
  if (typeof pid === 'number')
    return { is: 'started', pid, startedAt: typeof startedAt === 'string' ? startedAt : null }
  const count = typeof frozen === 'number' ? frozen : thawed
  if (typeof count === 'number' && typeof at === 'number')
    return { is: typeof frozen === 'number' ? 'frozen' : 'thawed', count, at }
  if (typeof error === 'string')
    return { is: 'failed', code: error, message: typeof message === 'string' ? message : error }
  if (exit === undefined) return null
  return {
    is: 'ended',
    exit: typeof exit === 'number' ? exit : null,
    signal: typeof signal === 'string' ? signal : null,
    by: by === 'deadline' || by === 'worker' ? by : 'itself',
  }
}

/** One end of the channel. */
export interface GuardChannel {
  /** Sends it, in pieces where the socket takes no more at once. */
  write(text: string): void
  close(): void
}

/**
 * Takes over the socket `fd`, and closes it in the end.
 *
 * @param onEnd  called once, when nothing will be read any more, whatever the reason
 */
export async function openChannel(
  fd: number,
  onLine: (line: string) => void,
  onEnd: () => void,
): Promise<GuardChannel> {
  const read = lineReader(onLine)
  let isEnded = false
  const end = (): void => {
    if (!isEnded) onEnd()
    isEnded = true
  }
  let unsent = Buffer.alloc(0)
  const send = (): void => {
    unsent = unsent.subarray(Math.max(0, socket.write(unsent)))
  }
  // Taken by Bun and named in its types (`FdSocketOptions`), but not in those of `connect`.
  const options = {
    fd,
    socket: { data: (_socket: unknown, bytes: Uint8Array) => read(bytes), drain: send, end, close: end, error: end },
  } as unknown as Bun.UnixSocketOptions<undefined>
  const socket = await Bun.connect(options)
  return {
    write(text) {
      unsent = Buffer.concat([unsent, Buffer.from(text)])
      send()
    },
    close: () => void socket.end(),
  }
}

/** Cuts a stream into lines; one without an end is dropped when it is longer than all that a program can be started with. */
function lineReader(onLine: (line: string) => void): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder()
  let rest = ''
  return (bytes) => {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MAX_CHARACTERS) rest = ''
    for (const line of lines) onLine(line)
  }
}

const MAX_CHARACTERS = 16 * 2 ** 20
