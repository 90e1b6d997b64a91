import { AppError, type ErrorCode, toAppError } from '../../domain/errors'
import { harnessModules } from '../../harness/registry'

/**
 * Calls between threads by message: one request, any number of progress notes, one answer. Arguments and answers are small
 * (paths, totals, a page of search hits); rows of the record never cross.
 */
export type Request = { id: number; method: string; args: unknown[] }
export type Reply =
  | { id: number; is: 'ready' }
  | { id: number; is: 'done'; value: unknown }
  | { id: number; is: 'progress'; value: unknown }
  | {
      id: number
      is: 'failed'
      error: { code: ErrorCode; message: string; hint?: string; details?: Record<string, unknown> }
    }

/**
 * A request or reply as text: passing a string to a thread takes 9 µs there and back, a cloned object of a task's size 27. For
 * values that are JSON; what is sent as an object stays one.
 */
type Message<Value> = Value | string

const readMessage = <Value>(data: Message<Value>): Value =>
  typeof data === 'string' ? (JSON.parse(data) as Value) : data

export function failure(id: number, thrown: unknown): Reply {
  const { code, message, hint, details } = toAppError(thrown)
  return { id, is: 'failed', error: { code, message, ...(hint ? { hint } : {}), ...(details ? { details } : {}) } }
}

/** The thread's side: answers requests with the methods given, several at a time; in the form in which each was asked. */
export function serveCalls(
  port: { postMessage(message: Message<Reply>): void; onmessage: ((event: MessageEvent) => void) | null },
  call: (method: string, args: unknown[], progress: (value: unknown) => void) => Promise<unknown>,
): void {
  port.onmessage = (event: MessageEvent) => {
    const data = event.data as Message<Request>
    const { id, method, args } = readMessage(data)
    const send = (reply: Reply): void => port.postMessage(typeof data === 'string' ? JSON.stringify(reply) : reply)
    call(method, args, (value) => send({ id, is: 'progress', value })).then(
      (value) => send({ id, is: 'done', value }),
      (thrown: unknown) => send(failure(id, thrown)),
    )
  }
}

interface Waiting {
  resolve(value: unknown): void
  reject(error: AppError): void
  progress?: (value: unknown) => void
}

/** The main thread's side of one thread. */
export class ThreadClient {
  private readonly worker: Worker
  private readonly waiting = new Map<number, Waiting>()
  private nextId = 1
  private isGone = false

  /**
   * @param onDeath  called once when the thread ended without being asked to; its open requests fail with `unavailable`.
   * @param isSmall  collects garbage early and often: less memory, more pauses. Default: true
   */
  constructor(url: URL, onDeath: (reason: string) => void, { isSmall = true }: { isSmall?: boolean } = {}) {
    const preload = [...harnessModules()]
    this.worker = new Worker(url, { smol: isSmall, ...(preload.length > 0 && { preload }) } as WorkerOptions)
    this.worker.onmessage = (event: MessageEvent) => this.settle(readMessage(event.data as Message<Reply>))
    const die = (reason: string): void => {
      if (this.isGone) return
      this.isGone = true
      for (const open of this.waiting.values())
        open.reject(new AppError('unavailable', `A thread of Lodeline ended: ${reason}`, { hint: 'Try again.' }))
      this.waiting.clear()
      onDeath(reason)
    }
    this.worker.onerror = (event: ErrorEvent) => die(event.message)
    this.worker.addEventListener('close', () => die('closed'))
  }

  /** Requests without an answer yet. */
  get pending(): number {
    return this.waiting.size
  }

  call<T>(method: string, args: unknown[], progress?: (value: unknown) => void): Promise<T> {
    return this.send({ method, args }, (request) => request, progress)
  }

  /** A call whose arguments and answer are JSON, for what is called often. */
  callJson<T>(method: string, args: unknown[]): Promise<T> {
    return this.send({ method, args }, JSON.stringify)
  }

  private send<T>(
    { method, args }: Omit<Request, 'id'>,
    encode: (request: Request) => Message<Request>,
    progress?: (value: unknown) => void,
  ): Promise<T> {
    if (this.isGone)
      return Promise.reject(new AppError('unavailable', 'A thread of Lodeline ended.', { hint: 'Try again.' }))
    const id = this.nextId++
    return new Promise<T>((resolve, reject) => {
      this.worker.postMessage(encode({ id, method, args }))
      this.waiting.set(id, { resolve: resolve as (value: unknown) => void, reject, ...(progress ? { progress } : {}) })
    })
  }

  /** Asks the thread to close what it holds, then ends it. */
  async end(): Promise<void> {
    if (this.isGone) return
    try {
      await this.call('close', [])
    } finally {
      this.isGone = true
      this.worker.terminate()
    }
  }

  private settle(reply: Reply): void {
    const open = this.waiting.get(reply.id)
    if (!open || reply.is === 'ready') return
    if (reply.is === 'progress') {
      open.progress?.(reply.value)
      return
    }
    this.waiting.delete(reply.id)
    if (reply.is === 'done') open.resolve(reply.value)
    else {
      const { code, message, hint, details } = reply.error
      open.reject(new AppError(code, message, { ...(hint ? { hint } : {}), ...(details ? { details } : {}) }))
    }
  }
}
