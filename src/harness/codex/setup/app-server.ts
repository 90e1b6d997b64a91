import { AppError } from '../../../domain/errors'
import { isRecord } from '../../json-lines/json-value'

/** How long Codex may take for one answer, in milliseconds. Its first start in a folder makes its databases. */
const ANSWER_MS = 20_000
/** The longest line that is read. */
const LINE_LIMIT_BYTES = 16 * 1_024 * 1_024

export interface AppServerPlace {
  /** The program, absolute or a name on `PATH`. */
  executable: string
  /** The configuration folder. */
  root: string
  env: Readonly<Record<string, string | undefined>>
}

/** Asks the CLI's own server. */
export interface AppServer {
  /** @throws `unavailable` the CLI does not answer; `invalid` it refuses, or its release does not know the question */
  ask(method: string, params: Readonly<Record<string, unknown>>): Promise<unknown>
}

/** Starts `codex app-server` for some questions, and ends it afterwards. @throws `not_found` there is no such program, and as `ask` */
export async function withAppServer<T>(place: AppServerPlace, work: (server: AppServer) => Promise<T>): Promise<T> {
  const child = start(place)
  const lines = new Answers(child.stdout)
  let last = 0
  const send = (message: object): void => {
    child.stdin.write(`${JSON.stringify(message)}\n`)
    child.stdin.flush()
  }
  const ask: AppServer['ask'] = async (method, params) => {
    const id = ++last
    send({ id, method, params })
    const answer = await lines.of(id, ANSWER_MS)
    if (answer === null)
      throw new AppError('unavailable', `Codex did not answer ${method}.`, {
        hint: "Run 'codex doctor' or 'codex --version': its config.toml may be broken. Nothing was changed.",
      })
    if (answer.error === undefined) return answer.result
    throw new AppError('invalid', `Codex refused ${method}: ${messageOf(answer.error)}.`, {
      hint: 'The program needs Codex 0.169 or newer.',
    })
  }
  try {
    await ask('initialize', { clientInfo: { name: 'lodeline', version: '1' }, capabilities: { experimentalApi: true } })
    send({ method: 'initialized' })
    return await work({ ask })
  } finally {
    // It ends with its input; one that hangs is ended.
    child.stdin.end()
    const timer = setTimeout(() => child.kill('SIGKILL'), 3_000)
    await child.exited
    clearTimeout(timer)
  }
}

function start({ executable, root, env }: AppServerPlace) {
  try {
    return Bun.spawn([executable, 'app-server', '-c', 'analytics.enabled=false'], {
      cwd: root,
      env: { ...env, CODEX_HOME: root },
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'ignore',
    })
  } catch (cause) {
    throw new AppError('not_found', `The program ${executable} can't be started.`, { cause })
  }
}

/** Answers by the number of their question; all else that the CLI says is passed over. */
class Answers {
  readonly #found = new Map<number, Record<string, unknown>>()
  readonly #end: Promise<void>
  #isOver = false
  #news = Promise.withResolvers<void>()

  constructor(stdout: ReadableStream<Uint8Array>) {
    this.#end = this.#read(stdout)
  }

  /** `null` = none came in time, or ever will. */
  async of(id: number, ms: number): Promise<Record<string, unknown> | null> {
    const deadline = performance.now() + ms
    while (!this.#found.has(id) && !this.#isOver) {
      const left = deadline - performance.now()
      if (left <= 0) return null
      const timer = Promise.withResolvers<void>()
      const handle = setTimeout(() => timer.resolve(), left)
      await Promise.race([this.#news.promise, this.#end, timer.promise])
      clearTimeout(handle)
    }
    return this.#found.get(id) ?? null
  }

  async #read(stdout: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    let text = ''
    try {
      for await (const bytes of stdout) {
        text += decoder.decode(bytes, { stream: true })
        if (text.length > LINE_LIMIT_BYTES) break
        const lines = text.split('\n')
        text = lines.pop() ?? ''
        for (const line of lines) this.#take(line)
      }
    } catch {
      // A pipe that breaks is its end.
    }
    this.#isOver = true
  }

  #take(line: string): void {
    try {
      const message: unknown = JSON.parse(line)
      if (!isRecord(message) || typeof message.id !== 'number' || message.method !== undefined) return
      this.#found.set(message.id, message)
      this.#news.resolve()
      this.#news = Promise.withResolvers()
    } catch {
      // No message.
    }
  }
}

function messageOf(error: unknown): string {
  const message = isRecord(error) && typeof error.message === 'string' ? error.message : 'it does not say why'
  return message.slice(0, 300)
}
