/** What a command that ran to its end has said. */
export interface CommandResult {
  exitCode: number
  stdout: string
  stderr: string
}

/** A command at work. */
export interface RunningCommand {
  readonly pid: number
  /** What it said so far. */
  stdout(): string
  stderr(): string
  signal(name: 'SIGINT' | 'SIGTERM' | 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void
  /** Resolves with its exit code when it has ended itself, though others may still have what it writes to. */
  readonly ended: Promise<number>
  /** Resolves when all that it has said is here as well. */
  readonly exited: Promise<CommandResult>
}

/** A command with a terminal. */
export interface Terminal {
  readonly pid: number
  /** All that was shown so far, without blanks. */
  text(): string
  /** The same as it came, with what a terminal obeys. */
  raw(): string
  type(keys: string): void
  resize(cols: number, rows: number): void
  readonly exited: Promise<number>
}

export interface CommandPlace {
  cwd: string
  env: Record<string, string>
}

/** Starts a command and comes back at once. */
export function startCommand(words: string[], place: CommandPlace): RunningCommand {
  const child = Bun.spawn(words, { ...place, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const { pid } = child
  const out = collect(child.stdout)
  const err = collect(child.stderr)
  const exited = Promise.all([out.done, err.done, child.exited]).then(([, , exitCode]) => ({
    exitCode,
    stdout: out.text(),
    stderr: err.text(),
  }))
  const signal: RunningCommand['signal'] = (name) => process.kill(pid, name)
  return { pid, stdout: out.text, stderr: err.text, signal, ended: child.exited, exited }
}

/** Starts a command at a terminal of its own, where a person types. */
export function startTerminal(words: string[], { cwd, env }: CommandPlace, cols = 100, rows = 30): Terminal {
  let text = ''
  const decoder = new TextDecoder()
  const child = Bun.spawn(words, {
    cwd,
    env: { ...env, TERM: 'xterm-256color' },
    terminal: {
      cols,
      rows,
      data: (_terminal, bytes) => {
        text += decoder.decode(bytes, { stream: true })
      },
    },
  })
  return {
    pid: child.pid,
    // Words are set apart by moves of the cursor as often as by spaces.
    text: () => Bun.stripANSI(text).replace(/\s/g, ''),
    raw: () => text,
    resize: (columns, lines) => void child.terminal?.resize(columns, lines),
    type: (keys) => void child.terminal?.write(keys),
    exited: child.exited,
  }
}

function collect(stream: ReadableStream<Uint8Array>) {
  let text = ''
  const done = (async () => {
    const decoder = new TextDecoder()
    for await (const part of stream) text += decoder.decode(part, { stream: true })
  })()
  return { text: () => text, done }
}
