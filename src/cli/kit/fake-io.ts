import type { Io } from './io'
import { OutputClosed } from './io'

/** Surroundings for tests: what was written, a clock that stands, answers given beforehand. */
export interface FakeIo extends Io {
  /** Everything written to stdout. */
  stdout: string
  /** Everything written to stderr. */
  stderr: string
}

/** A time for golden texts: 2026-01-02 03:04:05 UTC. */
export const NOW = Date.UTC(2026, 0, 2, 3, 4, 5)

export interface FakeIoOptions {
  env?: Record<string, string | undefined>
  cwd?: string
  /** Columns of the terminal; without it stdout is no terminal. */
  columns?: number
  isErrTerminal?: boolean
  /** A person's answers, in turn; without any nobody can be asked. */
  answers?: string[]
  /** What stands on stdin. */
  input?: string
  /** The reader goes away after this many characters. */
  closesAfter?: number
}

export function fakeIo(options: FakeIoOptions = {}): FakeIo {
  const answers = [...(options.answers ?? [])]
  return {
    stdout: '',
    stderr: '',
    out(text) {
      this.stdout += text
      if (options.closesAfter !== undefined && this.stdout.length > options.closesAfter) throw new OutputClosed()
    },
    err(text) {
      this.stderr += text
    },
    isTerminal: options.columns !== undefined,
    isErrTerminal: options.isErrTerminal === true,
    canAsk: answers.length > 0,
    columns: options.columns ?? 0,
    errColumns: options.isErrTerminal === true ? (options.columns ?? 80) : 0,
    env: options.env ?? {},
    cwd: options.cwd ?? '/',
    now: () => NOW,
    ask(question) {
      this.stderr += question
      return answers.shift() ?? ''
    },
    async askLine(question) {
      this.stderr += question
      return answers.shift() ?? null
    },
    askSecret(question) {
      return this.ask(question)
    },
    isInTerminal: false,
    readInput: async () => options.input ?? '',
  }
}
