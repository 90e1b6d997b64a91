import { AppError, type ErrorCode, toAppError } from '../domain/errors'

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

export function failure(id: number, thrown: unknown): Reply {
  const { code, message, hint, details } = toAppError(thrown)
  return { id, is: 'failed', error: { code, message, ...(hint ? { hint } : {}), ...(details ? { details } : {}) } }
}

/** The thread's side: answers requests with the methods given, several at a time. */
export function serveCalls(
  port: { postMessage(message: Reply): void; onmessage: ((event: MessageEvent) => void) | null },
  call: (method: string, args: unknown[], progress: (value: unknown) => void) => Promise<unknown>,
): void {
  port.onmessage = (event: MessageEvent) => {
    const { id, method, args } = event.data as Request
    call(method, args, (value) => port.postMessage({ id, is: 'progress', value })).then(
      (value) => port.postMessage({ id, is: 'done', value }),
      (thrown: unknown) => port.postMessage(failure(id, thrown)),
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
  /** Requests without an answer yet. */
  pending = 0
  private readonly worker: Worker
  private readonly waiting = new Map<number, Waiting>()
  private nextId = 1
  private isGone = false

  /** @param onDeath  called once when the thread ended without being asked to; its open requests fail with `unavailable`. */
  constructor(url: URL, onDeath: (reason: string) => void) {
    this.worker = new Worker(url, { smol: true } as WorkerOptions)
    this.worker.onmessage = (event: MessageEvent) => this.settle(event.data as Reply)
    const die = (reason: string): void => {
      if (this.isGone) return
      this.isGone = true
      for (const open of this.waiting.values())
        open.reject(new AppError('unavailable', `a thread of Lodeline ended: ${reason}`, { hint: 'Try again.' }))
      this.waiting.clear()
      onDeath(reason)
    }
    this.worker.onerror = (event: ErrorEvent) => die(event.message)
    this.worker.addEventListener('close', () => die('closed'))
  }

  call<T>(method: string, args: unknown[], progress?: (value: unknown) => void): Promise<T> {
    if (this.isGone)
      return Promise.reject(new AppError('unavailable', 'a thread of Lodeline ended', { hint: 'Try again.' }))
    const id = this.nextId++
    this.pending++
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (value: unknown) => void, reject, ...(progress ? { progress } : {}) })
      this.worker.postMessage({ id, method, args } satisfies Request)
    }).finally(() => {
      this.pending--
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
