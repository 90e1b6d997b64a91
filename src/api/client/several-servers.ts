import { AppError, isAppError } from '../../domain/errors'
import { health } from '../contract/operations/server'
import { ERROR_HEADER, IDEMPOTENCY_HEADER } from '../contract/protocol'
import type { Transport } from './call'
import { type HttpTransportOptions, httpTransport } from './http-transport'

/** When the server of a request that is under way is asked whether it is there. */
export interface Doubt {
  /** A server that has not answered for this many milliseconds is asked. Polls wait for longer than this. */
  afterMs: number
  /** Milliseconds in which it has to answer that. */
  answerMs: number
}

const DOUBT: Doubt = { afterMs: 1_500, answerMs: 1_500 }
/** Nobody else can be asked: slow links get their time, and a connection that says nothing any more still ends. */
const LONE_DOUBT: Doubt = { afterMs: 10_000, answerMs: 10_000 }

/**
 * As `httpTransport`, for servers of one record: a request goes to the next one when a server is gone, for which it is careful. One that
 * gets no answer from a server that is silent is given up.
 */
export function transportOf(
  origins: readonly [string, ...string[]],
  token: HttpTransportOptions['token'],
  { isCareful = false, doubt = LONE_DOUBT }: Pick<HttpTransportOptions, 'isCareful'> & { doubt?: Doubt } = {},
): Transport {
  const [first] = origins
  if (origins.length === 1) {
    const send = httpTransport({ token, origin: first, isCareful })
    return (request) => whileAlive(first, request.signal, doubt, (signal) => send(new Request(request, { signal })))
  }
  return severalServers(
    origins.map((origin) => ({ origin, transport: httpTransport({ token, origin, isCareful: true }) })),
  )
}

/**
 * Sends each request to the server that answered last, of several that stand for one another, and to the next one when it is gone.
 *
 * A request that no server got is sent to each of them. One that a server may have got is sent once more only where that does nothing
 * twice: a read, or a create under an idempotency key. Others fail, and the next request goes elsewhere.
 *
 * @param servers  origin and transport of each, in the order in which they are tried; requests are addressed to any of them
 */
export function severalServers(servers: readonly { origin: string; transport: Transport }[]): Transport {
  let current = 0
  return async (request) => {
    const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer())
    const isSafe = request.method === 'GET' || request.method === 'HEAD' || request.headers.has(IDEMPOTENCY_HEADER)
    const failures: string[] = []
    let refused: Response | undefined
    const first = current
    for (let turn = 0; turn < servers.length; turn++) {
      const at = (first + turn) % servers.length
      const server = servers[at]
      if (server === undefined) continue
      const isLast = turn === servers.length - 1
      try {
        const response = await whileAlive(server.origin, request.signal, DOUBT, (signal) =>
          server.transport(readdressed(request, server.origin, body, signal)),
        )
        if (!isAway(response)) {
          current = at
          return response
        }
        // It lives and can't do its work, as one whose way to the database is cut.
        current = (at + 1) % servers.length
        if (!isSafe || isLast) return refused ?? response
        refused ??= response
      } catch (thrown) {
        if (request.signal.aborted) throw thrown
        current = (at + 1) % servers.length
        failures.push(`${server.origin}: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
        if (!wasNeverSent(thrown) && !isSafe) throw thrown
      }
    }
    if (refused !== undefined) return refused
    throw new AppError('unavailable', `None of the servers responds: ${failures.join('; ')}`, {
      hint: "Start one of them with 'lode serve', or name others with --server URL,URL.",
    })
  }
}

/** The same request for another server. */
export function readdressed(request: Request, origin: string, body: Uint8Array | null, signal: AbortSignal): Request {
  const { pathname, search } = new URL(request.url)
  return new Request(origin + pathname + search, {
    method: request.method,
    headers: request.headers,
    body: body as Uint8Array<ArrayBuffer> | null,
    signal,
  })
}

const UNSENT = [
  'ConnectionRefused',
  'ECONNREFUSED',
  'FailedToOpenSocket',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]

/** The server lives and could not do its work. */
export const isAway = ({ status, headers }: Response): boolean =>
  status === 503 && headers.get(ERROR_HEADER) === 'unavailable'

/** The connection could not be made, or what answers there was not given the request. */
export function wasNeverSent(thrown: unknown): boolean {
  if (isAppError(thrown)) return true
  const { code } = thrown as { code?: unknown }
  return typeof code === 'string' && (UNSENT.includes(code) || /CERT|SELF_SIGNED|UNABLE_TO_/.test(code))
}

/** Gives up a request when its server does not answer anything: a machine that lost its power says nothing. */
async function whileAlive(
  origin: string,
  outer: AbortSignal,
  { afterMs, answerMs }: Doubt,
  send: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
  const silent = new AbortController()
  let isOver = false
  let timer = setTimeout(look, afterMs)
  async function look(): Promise<void> {
    const asked = { redirect: 'manual', signal: AbortSignal.timeout(answerMs) } as const
    const isThere = await fetch(origin + health.path, asked).then(
      async (answer) => {
        await answer.body?.cancel()
        return true
      },
      () => false,
    )
    if (isOver) return
    if (isThere) timer = setTimeout(look, afterMs)
    else silent.abort(new Error(`no answer within ${(afterMs + answerMs) / 1_000} s`))
  }
  try {
    return await send(AbortSignal.any([outer, silent.signal]))
  } finally {
    isOver = true
    clearTimeout(timer)
  }
}
