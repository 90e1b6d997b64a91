import { chmodSync, closeSync, openSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { HOUR_MS } from '../../../domain/time-units'
import { SOCKET_HANDLERS, SocketEnd } from '../../../util/net/socket-pipe'
import { type DialOptions, dial, type NoWay, shown } from './dial'
import type { Reach, Wanted } from './reach'
import { HEAD_END, readHead } from './request-head'

export interface ProxyOptions extends Omit<DialOptions, 'reach'> {
  /** The socket, in a folder of the owner alone; `null` = a free port of this machine's loopback, where no sandbox has one of its own. */
  path: string | null
  /** What may be reached now. */
  reach(): Reach
  /** A host that was refused, once for each host and reason. */
  onRefused(why: string): void
}

/** How many connections a run has at once. */
const MOST_CONNECTIONS = 256
const MOST_HEAD = 64 * 1_024
/** For the head to come. */
const HEAD_MS = 30_000
/** A way on which nothing moved for this long is closed. A model may think for minutes without a word. */
const IDLE_MS = HOUR_MS
const SWEEP_MS = 10_000
/** How many refused hosts are reported; a run may make up names without end. */
const MOST_TOLD = 50

/** The way out of one run's sandbox: a proxy for HTTP. It ends with the run. */
export class NetworkProxy {
  readonly #options: ProxyOptions
  readonly #clients = new Map<SocketEnd, { until: number }>()
  readonly #told = new Set<string>()
  readonly #stop: () => void
  /** On the loopback; `null` = it listens at a socket of the file system. */
  readonly port: number | null
  readonly #sweeping: Timer

  /** @throws the system's error */
  constructor(options: ProxyOptions) {
    this.#options = options
    const handlers = { ...SOCKET_HANDLERS, open: (socket: Bun.Socket<SocketEnd>) => this.#opened(socket) }
    const { path } = options
    if (path === null) {
      const listener = Bun.listen<SocketEnd>({ hostname: '127.0.0.1', port: 0, socket: handlers })
      this.port = listener.port
      this.#stop = () => listener.stop(true)
    } else {
      this.port = null
      this.#stop = listenAt(path, handlers)
    }
    this.#sweeping = setInterval(() => this.#sweep(), SWEEP_MS)
    this.#sweeping.unref()
  }

  /** Ends every connection. */
  close(): void {
    clearInterval(this.#sweeping)
    this.#stop()
    for (const client of this.#clients.keys()) client.destroy()
    this.#clients.clear()
  }

  #opened(socket: Bun.Socket<SocketEnd>): void {
    // They hear why, up to as many again.
    const isOver = this.#clients.size >= MOST_CONNECTIONS
    if (this.#clients.size >= 2 * MOST_CONNECTIONS) {
      socket.data = new SocketEnd(() => {})
      socket.terminate()
      return
    }
    const head = new Head()
    const client: SocketEnd = new SocketEnd(
      (bytes) => {
        const whole = head.add(bytes)
        if (whole === null && head.length <= MOST_HEAD) return
        client.pause()
        if (whole === null) answer(client, 431, 'The lines of the request are too long.')
        else if (isOver) answer(client, 503, `This run has ${MOST_CONNECTIONS} connections, and may have no more.`)
        else this.#serve(client, whole.head, whole.rest).catch(() => client.destroy())
      },
      () => this.#clients.delete(client),
    )
    socket.data = client
    client.opened(socket)
    this.#clients.set(client, { until: performance.now() + HEAD_MS })
  }

  async #serve(client: SocketEnd, head: string, rest: Uint8Array): Promise<void> {
    const request = readHead(head)
    if (request.is === 'wrong') return answer(client, 400, request.why)
    const kept = this.#clients.get(client)
    if (kept !== undefined) kept.until = Number.POSITIVE_INFINITY
    const { env, find, reach } = this.#options
    const way = await dial(request.wanted, { reach: reach(), env, ...(find && { find }) })
    if (!(way instanceof SocketEnd)) return this.#refuse(client, request.wanted, way)
    if (client.isClosed) return way.destroy()
    if (request.is === 'connect') client.write(Buffer.from(`HTTP/1.1 200 Connected${HEAD_END}`))
    else way.write(Buffer.from(request.head, 'latin1'))
    if (rest.length > 0) way.write(rest)
    way.join(client)
    way.resume()
    client.resume()
  }

  #refuse(client: SocketEnd, wanted: Wanted, { is, why }: NoWay): void {
    if (is === 'failed') {
      answer(client, 502, `${why}.`)
      return
    }
    const told = `${wanted.host}:${wanted.port}`
    if (!this.#told.has(told) && this.#told.size < MOST_TOLD) {
      this.#told.add(told)
      this.#options.onRefused(why)
      if (this.#told.size === MOST_TOLD) this.#options.onRefused('more hosts are refused, and not told')
    }
    const hint = `A person can list ${shown(wanted)} there, on the worker's machine. Do not try to get around this.`
    answer(client, 403, `Lodeline refused the connection: ${why}. ${hint}`)
  }

  #sweep(): void {
    const now = performance.now()
    for (const [client, { until }] of this.#clients) if (now > until || now - client.movedAt > IDLE_MS) client.destroy()
  }
}

/** @returns what ends it and removes the socket */
function listenAt(path: string, socket: Bun.SocketHandler<SocketEnd>): () => void {
  rmSync(path, { force: true })
  // A socket's path has at most 107 bytes. By this way its folder may be anywhere.
  const folder = openSync(dirname(path), 'r')
  const listener = Bun.listen<SocketEnd>({ unix: join(`/proc/self/fd/${folder}`, basename(path)), socket })
  chmodSync(path, 0o600)
  return () => {
    listener.stop(true)
    rmSync(path, { force: true })
    closeSync(folder)
  }
}

/** The first lines of a request, as they come. */
class Head {
  #text = ''

  get length(): number {
    return this.#text.length
  }

  /** `null` = it is not whole. */
  add(bytes: Uint8Array): { head: string; rest: Uint8Array } | null {
    // Latin letters, so that each byte stays one.
    this.#text += Buffer.from(bytes).toString('latin1')
    const end = this.#text.indexOf(HEAD_END)
    if (end < 0 || end > MOST_HEAD) return null
    return { head: this.#text.slice(0, end), rest: Buffer.from(this.#text.slice(end + HEAD_END.length), 'latin1') }
  }
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Refused by worker.network',
  431: 'Request Header Fields Too Large',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
}

function answer(client: SocketEnd, status: number, text: string): void {
  const body = Buffer.from(`${text}\n`)
  const lines = [
    `HTTP/1.1 ${status} ${REASONS[status]}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  client.write(Buffer.concat([Buffer.from(lines.join('\r\n') + HEAD_END), body]))
  client.end()
}
