/**
 * What a worker and its `lode guard` say to one another, a line each, over the guard's file descriptor 3.
 * The guard loads this file at each start: it imports nothing.
 */
export const GUARD_FD = 3

/** How long a guard waits for its first deadline. */
export const FIRST_DEADLINE_MS = 15_000

/** What the worker may have sent to the guarded process. */
export const PASSED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
export type PassedSignal = (typeof PASSED_SIGNALS)[number]

/**
 * Worker to guard: a number of milliseconds (the tree may live so long from now), a signal's name (for the process alone), or
 * `kill` (the whole tree, now). The end of the channel is the worker's death and means `kill`.
 */
export type GuardOrder = { is: 'deadline'; ms: number } | { is: 'signal'; signal: PassedSignal } | { is: 'kill' }

/** Why there is no guarded process any more. `worker`: it said so, or is gone. */
export type EndedBy = 'itself' | 'deadline' | 'worker'

/** Guard to worker: the first message once, then `ended` once, when nothing of the tree is left. */
export type GuardMessage =
  | { is: 'started'; pid: number; startedAt: string | null }
  | { is: 'failed'; code: string; message: string }
  | { is: 'ended'; exit: number | null; signal: string | null; by: EndedBy }

/** `null` = not understood; a guard that meets such a line goes on. */
export function parseOrder(line: string): GuardOrder | null {
  if (line === 'kill') return { is: 'kill' }
  const signal = PASSED_SIGNALS.find((name) => name === line)
  if (signal !== undefined) return { is: 'signal', signal }
  return /^\d{1,9}$/.test(line) ? { is: 'deadline', ms: Number(line) } : null
}

export function encodeMessage(message: GuardMessage): string {
  if (message.is === 'started') return `${JSON.stringify({ pid: message.pid, startedAt: message.startedAt })}\n`
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
  const { pid, startedAt, error, message, exit, signal, by } = value as Record<string, unknown>
  if (typeof pid === 'number')
    return { is: 'started', pid, startedAt: typeof startedAt === 'string' ? startedAt : null }
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
  /** Sends what of it the socket takes at once: lines are few and short. */
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
  // Taken by Bun and named in its types (`FdSocketOptions`), but not in those of `connect`.
  const options = {
    fd,
    socket: { data: (_socket: unknown, bytes: Uint8Array) => read(bytes), end, close: end, error: end },
  } as unknown as Bun.UnixSocketOptions<undefined>
  const socket = await Bun.connect(options)
  return { write: (text) => void socket.write(text), close: () => void socket.end() }
}

/** Cuts a stream into lines; one without an end is dropped at 64 Ki characters. */
function lineReader(onLine: (line: string) => void): (bytes: Uint8Array) => void {
  const decoder = new TextDecoder()
  let rest = ''
  return (bytes) => {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MOST_CHARACTERS) rest = ''
    for (const line of lines) onLine(line)
  }
}

const MOST_CHARACTERS = 65_536
