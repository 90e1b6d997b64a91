import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { AppError } from '../../domain/errors'
import { diskFault } from '../../util/files/disk-fault'

/** The command's surroundings: the only way to the terminal, the environment and the clock, so that a test can give its own. */
export interface Io {
  /**
   * Writes to stdout, whole and at once.
   * @throws OutputClosed  the reader has gone (`| head`); the dispatcher ends the command quietly
   */
  out(text: string): void
  /** Writes to stderr; a closed stderr is ignored. */
  err(text: string): void
  /** stdout is a terminal. */
  readonly isTerminal: boolean
  /** stderr is a terminal: progress may be drawn. */
  readonly isErrTerminal: boolean
  /** A person can be asked: stdin and stderr are terminals. */
  readonly canAsk: boolean
  /** Columns of the terminal; 0 = no terminal, lines are not cut. */
  readonly columns: number
  /** The same for stderr. */
  readonly errColumns: number
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Milliseconds since the epoch. */
  now(): number
  /** Asks on stderr and reads one line. Only when `canAsk`. */
  ask(question: string): string
  /** As `ask`, without standing still: Ctrl-C ends it. `null` = the terminal is at its end (Ctrl-D), or `signal` was aborted. */
  askLine(question: string, signal: AbortSignal): Promise<string | null>
  /** As `ask`, and the answer is not shown while it is typed. */
  askSecret(question: string): string
  /** stdin is a terminal: what is read from it is typed now. */
  readonly isInTerminal: boolean
  /**
   * All of stdin, as text.
   * @throws `too_large`  it has more than `maxBytes`
   */
  readInput(maxBytes: number): Promise<string>
}

/** Thrown by `Io.out` when nobody reads any more. */
export class OutputClosed extends Error {
  constructor() {
    super('stdout was closed')
    this.name = 'OutputClosed'
  }
}

/**
 * The process's own. Files are asked with `fstat` first: node:tty alone costs 2 ms of start-up, so it is touched only when
 * a character device is there.
 */
export function processIo(): Io {
  let out: boolean | undefined
  let err: boolean | undefined
  // One that was left takes the next line for the next question: two reads at once would share what is typed.
  let reading: Promise<string | null> | undefined
  return {
    out(text) {
      if (!writeAll(1, text)) throw new OutputClosed()
    },
    err(text) {
      writeAll(2, text)
    },
    get isTerminal() {
      out ??= isDevice(1) && process.stdout.isTTY === true
      return out
    },
    get isErrTerminal() {
      err ??= isDevice(2) && process.stderr.isTTY === true
      return err
    },
    get canAsk() {
      return this.isErrTerminal && isDevice(0) && process.stdin.isTTY === true
    },
    get columns() {
      if (!this.isTerminal) return 0
      return process.stdout.columns || Number(process.env.COLUMNS) || 80
    },
    get errColumns() {
      if (!this.isErrTerminal) return 0
      return process.stderr.columns || Number(process.env.COLUMNS) || 80
    },
    env: process.env,
    cwd: process.cwd(),
    now: Date.now,
    ask(question) {
      writeAll(2, question)
      return readLine()
    },
    async askLine(question, signal) {
      writeAll(2, question)
      reading ??= lineOf('/dev/tty').finally(() => {
        reading = undefined
      })
      return await unlessAborted(reading, signal)
    },
    askSecret(question) {
      writeAll(2, question)
      try {
        return withoutEcho(readLine)
      } finally {
        writeAll(2, '\n')
      }
    },
    get isInTerminal() {
      return isDevice(0) && process.stdin.isTTY === true
    },
    readInput: (maxBytes) => readText(Bun.stdin.stream(), maxBytes),
  }
}

function isDevice(fd: number): boolean {
  try {
    return fstatSync(fd).isCharacterDevice()
  } catch {
    return false
  }
}

/** @returns `false` when the other end is closed. Other errors (a full disk behind `> file`) are thrown. */
function writeAll(fd: 1 | 2, text: string): boolean {
  const bytes = Buffer.from(text)
  let done = 0
  while (done < bytes.length) {
    try {
      done += writeSync(fd, bytes, done)
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code
      // A pipe that its reader made non-blocking: wait for it, there is nothing else to do.
      if (code === 'EAGAIN') Bun.sleepSync(2)
      else if (code === 'EPIPE' || fd === 2) return false
      else if (diskFault(error) === 'storage_full' || code === 'EIO')
        throw new AppError('storage_full', `Can't write to stdout: ${code}.`)
      else throw error
    }
  }
  return true
}

async function readText(stream: ReadableStream<Uint8Array>, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of stream) {
    length += part.length
    if (length > maxBytes) {
      throw new AppError('too_large', `Stdin is larger than ${maxBytes.toLocaleString('en-US')} bytes.`)
    }
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** The terminal's own program switches what is typed invisible: the runtime has no call for it. */
function withoutEcho<T>(act: () => T): T {
  const stty = (word: string) => {
    const tty = openSync('/dev/tty', 'r')
    try {
      return Bun.spawnSync(['stty', word], { stdin: tty, stdout: 'ignore', stderr: 'ignore' }).success
    } finally {
      closeSync(tty)
    }
  }
  if (!stty('-echo'))
    throw new AppError('unavailable', 'The terminal can not hide what you type.', {
      hint: 'Use --passphrase-file FILE.',
    })
  try {
    return act()
  } finally {
    stty('echo')
  }
}

/** The read itself can't be taken back: it is left to the end of the process. */
async function unlessAborted(reading: Promise<string | null>, signal: AbortSignal): Promise<string | null> {
  const { promise: left, resolve: leave } = Promise.withResolvers<null>()
  const onAbort = () => leave(null)
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    return await Promise.race([reading, left])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

async function lineOf(path: string): Promise<string | null> {
  const tty = await open(path, 'r')
  try {
    const { bytesRead, buffer } = await tty.read(Buffer.alloc(1_024), 0, 1_024, null)
    return bytesRead === 0 ? null : buffer.toString('utf8', 0, bytesRead).trim()
  } finally {
    await tty.close()
  }
}

/** One line from the terminal itself, so that a redirected stdin can't answer for a person. */
function readLine(): string {
  const tty = openSync('/dev/tty', 'r')
  try {
    const bytes = Buffer.alloc(1_024)
    const length = readSync(tty, bytes)
    return bytes.toString('utf8', 0, length).trim()
  } finally {
    closeSync(tty)
  }
}
