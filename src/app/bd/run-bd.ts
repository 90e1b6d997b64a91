import { spawn } from 'node:child_process'
import { AppError } from '../../domain/errors'

export interface BdCall {
  /** Absolute. */
  program: string
  args: readonly string[]
  cwd: string
  env: Record<string, string>
  /** Nothing = its input is empty. */
  stdin?: string | undefined
  /** Milliseconds. */
  limitMs: number
  /** Bytes of its output. */
  limitBytes: number
}

export interface BdAnswer {
  code: number
  stdout: string
  stderr: string
}

/** Bytes of its messages that are kept. */
const MESSAGES = 65_536
/** Milliseconds from the request to end until it is killed: it may be writing. */
const ORDERLY_END_MS = 2_000
/** Milliseconds after its end for which output is waited that a process of its own may hold open. */
const DRAIN_MS = 500

/**
 * Runs bd without a shell, in a process group of its own, which ends with it.
 * @throws `unavailable` it can't be run, or takes too long · `too_large` it says too much
 */
export function runBd({ program, args, cwd, env, stdin, limitMs, limitBytes }: BdCall): Promise<BdAnswer> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
    const out: Buffer[] = []
    const err: Buffer[] = []
    let size = 0
    let messages = 0
    let problem: AppError | null = null
    let code: number | null = null
    const timers: ReturnType<typeof setTimeout>[] = []
    const signal = (name: NodeJS.Signals): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, name)
      } catch {
        // It is gone.
      }
    }
    const stop = (why: AppError, name: NodeJS.Signals): void => {
      problem ??= why
      signal(name)
      if (name !== 'SIGKILL') timers.push(setTimeout(() => signal('SIGKILL'), ORDERLY_END_MS))
      // Whatever it leaves behind that holds its output: the answer is known.
      timers.push(setTimeout(settle, ORDERLY_END_MS + DRAIN_MS))
    }
    function settle(): void {
      for (const timer of timers) clearTimeout(timer)
      child.stdout.destroy()
      child.stderr.destroy()
      child.unref()
      if (problem !== null) {
        signal('SIGKILL')
        reject(problem)
      } else
        resolve({
          code: code ?? -1,
          stdout: Buffer.concat(out).toString('utf8'),
          stderr: Buffer.concat(err).toString('utf8'),
        })
    }
    child.on('error', (cause) => {
      problem ??= new AppError('unavailable', `${program} can't be run: ${cause.message}`, { cause })
      settle()
    })
    child.on('exit', (status) => {
      code = status
      timers.push(setTimeout(settle, DRAIN_MS))
    })
    child.on('close', settle)
    child.stdout.on('data', (bytes: Buffer) => {
      size += bytes.length
      if (size <= limitBytes) out.push(bytes)
      else stop(new AppError('too_large', `bd ${args[0] ?? ''} returned more than ${limitBytes} bytes.`), 'SIGKILL')
    })
    child.stderr.on('data', (bytes: Buffer) => {
      if (messages < MESSAGES) err.push(bytes.subarray(0, MESSAGES - messages))
      messages += bytes.length
    })
    // It need not read what it is given.
    child.stdin.on('error', () => {})
    child.stdin.end(stdin ?? '')
    timers.push(
      setTimeout(
        () =>
          stop(new AppError('unavailable', `bd ${args[0] ?? ''} did not end within ${limitMs / 1_000} s.`), 'SIGTERM'),
        limitMs,
      ),
    )
  })
}

/** What bd said of its failure, in one line. With `--json` that is an object on one of both outputs; before it, warnings may stand. */
export function failureText({ code, stdout, stderr }: BdAnswer): string {
  for (const text of [stderr, stdout]) {
    const error = errorIn(text)
    if (error !== null) return clean(error)
  }
  const lines = `${stderr}\n${stdout}`.split('\n').filter((line) => line.trim() !== '')
  const line = lines.find((each) => /error/i.test(each)) ?? lines.at(-1)
  return clean(line ?? `exit code ${code}`)
}

function errorIn(text: string): string | null {
  const value = jsonIn(text)
  const { error, message } = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
  return typeof error === 'string' ? error : typeof message === 'string' ? message : null
}

/** The JSON value of an output that may begin with lines of text; `undefined` = there is none. */
export function jsonIn(text: string): unknown {
  const starts = [0, ...[...text.matchAll(/^[[{]/gm)].map(({ index }) => index)].slice(0, 20)
  for (const start of starts)
    try {
      return JSON.parse(text.slice(start)) as unknown
    } catch {
      // Perhaps from a later line on.
    }
  return undefined
}

const clean = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, 500)
