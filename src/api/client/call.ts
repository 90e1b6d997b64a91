import { AppError } from '../../domain/errors'
import type { AnswerOf, Declaration, InputOf, Operation, ParamsOf } from '../contract/operation'
import { VERSION_HEADER } from '../contract/protocol'
import { writeRequest } from '../contract/request-text'
import { readRemoteError } from './remote-error'

/** Sends a request and gives the answer: over HTTP, or an app's own `fetch` in this process. */
export type Transport = (request: Request) => Promise<Response>

export interface CallerOptions {
  /** Origin that requests are addressed to, e.g. `http://127.0.0.1:4400`. In process any will do. */
  baseUrl?: string
  /** This program's version. `onVersion` is called once if the server's is another. */
  version?: string
  /** The server's version differs from `version`. Called at most once per client and version seen. */
  onVersion?: (server: string) => void
}

export interface CallOptions {
  /** Ends the call; the promise rejects with the signal's reason. */
  signal?: AbortSignal
}

export interface FollowOptions extends CallOptions {
  /** Wait before the first new try after a lost connection; doubled each time, at most 5 s. Default 250 ms. */
  retryWaitMs?: number
  /** The connection was lost and will be tried again after `waitMs`. */
  onRetry?: (error: Error, waitMs: number) => void
  /** The connection stands (again). */
  onOpen?: () => void
}

export interface SendOptions extends CallOptions {
  headers?: Record<string, string>
  /** The body of an operation that takes raw bytes, or JSON that its handler reads. */
  bytes?: Uint8Array
}

/** The fields of path, query and body in one object. */
export type FieldsOf<Op extends Declaration> = ParamsOf<Op> & InputOf<Op>

/** What the client's methods are made from. */
export interface Caller {
  /** Sends and reads the JSON answer. */
  call<Op extends Operation>(operation: Op, fields: FieldsOf<Op>, options?: SendOptions): Promise<AnswerOf<Op>>
  /** Sends and gives the open answer, which is ok. @throws `RemoteError`, `unavailable` */
  open<Op extends Operation>(operation: Op, fields: FieldsOf<Op>, options?: SendOptions): Promise<Response>
}

/** The origin of requests that never leave the process. */
const IN_PROCESS_ORIGIN = 'http://lodeline.invalid'

export function createCaller(transport: Transport, options: CallerOptions): Caller {
  const base = (options.baseUrl ?? IN_PROCESS_ORIGIN).replace(/\/+$/, '')
  const noticeVersion = createVersionNotice(options)

  const open: Caller['open'] = async (operation, fields, { signal, headers, bytes } = {}) => {
    const { method, target, body } = writeRequest(operation, fields)
    const type =
      operation.takes === 'bytes' ? 'application/octet-stream' : body !== null || bytes ? 'application/json' : null
    const response = await send(
      new Request(base + target, {
        method,
        headers: { ...(type !== null && { 'content-type': type }), ...headers },
        body: bytes === undefined ? body : (bytes as Uint8Array<ArrayBuffer>),
        signal: signal ?? null,
      }),
    )
    noticeVersion(response.headers.get(VERSION_HEADER))
    if (!response.ok) throw await readRemoteError(response)
    return response
  }

  async function send(request: Request): Promise<Response> {
    try {
      return await transport(request)
    } catch (cause) {
      if (request.signal.aborted || cause instanceof AppError) throw cause
      throw unreachable(base, cause)
    }
  }

  return {
    open,
    async call<Op extends Operation>(operation: Op, fields: FieldsOf<Op>, callOptions?: SendOptions) {
      const response = await open(operation, fields, callOptions)
      return (await readJson(response, base)) as AnswerOf<Op>
    },
  }
}

/** The connection failed, or broke before the answer was whole. */
export function unreachable(base: string, cause: unknown): AppError {
  const seen = cause instanceof Error ? cause.message : String(cause)
  return new AppError('unavailable', `No answer from ${base}: ${seen}`, {
    hint: 'Check whether the server is running with `lode status`, or start it with `lode up`.',
    cause,
  })
}

async function readJson(response: Response, base: string): Promise<unknown> {
  if (response.status === 204) return undefined
  try {
    return await response.json()
  } catch (cause) {
    throw unreachable(base, cause)
  }
}

function createVersionNotice({ version, onVersion }: CallerOptions): (server: string | null) => void {
  const reported = new Set<string>()
  return (server) => {
    if (server === null || version === undefined || server === version || reported.has(server)) return
    reported.add(server)
    onVersion?.(server)
  }
}

/** A create that may be sent again: the same key makes nothing twice. Without one the client makes one for its own retries. */
export interface CreateOptions extends CallOptions {
  idempotencyKey?: string
}
