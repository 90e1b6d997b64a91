import { connect, createServer, type Server, type Socket } from 'node:net'

export interface Backend {
  host: string
  port: number
}

export interface ProxyOptions {
  /** Default: loopback. */
  host?: string
  /** 0 or none = a free one, the same for the proxy's whole life. */
  port?: number
  /** A socket instead of both. */
  path?: string
  /** Tried in this order at each new connection; one that refuses is passed over. */
  backends: readonly Backend[]
}

/** A TCP proxy between a client and its servers that does to connections what a bad network does. Made for loopback alone. */
export interface TestProxy {
  readonly port: number
  /** While on, nobody listens: new connections are refused. Open ones go on; `cutAll` ends them. Resolves when it is so. */
  refuse(on: boolean): Promise<void>
  /** While on, connections are taken and no byte passes, in either direction. What was held goes on when it is off, as in TCP. */
  swallow(on: boolean): void
  /** Each byte takes this long, each way. 0 = none. */
  delayMs(ms: number): void
  /** Where new connections go from now on. */
  use(backends: readonly Backend[]): void
  /** Resets all open connections; what they held is lost. @returns how many */
  cutAll(): number
  /** Ends all and frees the port. */
  close(): Promise<void>
}

/** Below the range of which systems take ports for outgoing connections: nobody takes it while `refuse` is on. */
const LOWEST_PORT = 20_000
const HIGHEST_PORT = 32_000

export async function startProxy({ host = '127.0.0.1', port = 0, path, backends }: ProxyOptions): Promise<TestProxy> {
  const state = { backends, isSwallowing: false, delayMs: 0 }
  const pairs = new Set<Pair>()
  const take = (client: Socket): void => {
    const pair = new Pair(client, state, () => pairs.delete(pair))
    pairs.add(pair)
  }
  let server: Server | null = await (path === undefined ? listen(take, host, port) : listenAt(take, path))
  const address = server.address()
  if (address === null) throw new Error('the proxy has no port')
  const own = typeof address === 'string' ? 0 : address.port
  /** One change after another. */
  let changing: Promise<void> = Promise.resolve()
  const change = (work: () => Promise<void>): Promise<void> => {
    changing = changing.then(work)
    return changing
  }
  const stopListening = async (): Promise<void> => {
    server?.close()
    server = null
  }
  return {
    port: own,
    refuse: (on) =>
      change(async () => {
        if (on) await stopListening()
        else server ??= await (path === undefined ? listen(take, host, own) : listenAt(take, path))
      }),
    swallow(on) {
      state.isSwallowing = on
      for (const pair of pairs) pair.pump()
    },
    delayMs(ms) {
      state.delayMs = ms
    },
    use(next) {
      state.backends = next
    },
    cutAll() {
      const cut = [...pairs]
      for (const pair of cut) pair.cut()
      return cut.length
    },
    async close() {
      await change(stopListening)
      for (const pair of [...pairs]) pair.cut()
    },
  }
}

async function listenAt(take: (client: Socket) => void, path: string): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, take)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  return server
}

/** @param port  0 = any that is free */
async function listen(take: (client: Socket) => void, host: string, port: number): Promise<Server> {
  for (let left = 50; ; left--) {
    const wanted = port || LOWEST_PORT + Math.floor(Math.random() * (HIGHEST_PORT - LOWEST_PORT))
    const server = createServer({ allowHalfOpen: true }, take)
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(wanted, host, resolve)
      })
      return server
    } catch (error) {
      if (left === 0) throw error
      // A port of its own is freed by the system in a moment.
      if (port !== 0) await Bun.sleep(20)
    }
  }
}

interface PairState {
  backends: readonly Backend[]
  isSwallowing: boolean
  delayMs: number
}

/** A client's connection and the one to a server that belongs to it. */
class Pair {
  readonly #client: Socket
  readonly #state: PairState
  readonly #over: () => void
  readonly #there: Lane
  readonly #back: Lane
  #server: Socket | null = null
  #isOver = false

  constructor(client: Socket, state: PairState, over: () => void) {
    this.#client = client
    this.#state = state
    this.#over = over
    this.#there = new Lane(state)
    this.#back = new Lane(state)
    client.setNoDelay(true)
    this.#read(client, this.#there)
    this.#back.goesTo(client)
    this.#connect(0)
  }

  pump(): void {
    this.#there.pump()
    this.#back.pump()
  }

  cut(): void {
    this.#end()
    this.#client.resetAndDestroy()
    this.#server?.resetAndDestroy()
  }

  #connect(turn: number): void {
    const backend = this.#state.backends[turn]
    if (backend === undefined) {
      this.cut()
      return
    }
    const server = connect(backend.port, backend.host)
    server.once('connect', () => {
      if (this.#isOver) return void server.destroy()
      this.#server = server
      server.setNoDelay(true)
      this.#read(server, this.#back)
      this.#there.goesTo(server)
    })
    server.once('error', () => {
      if (this.#isOver) return
      if (this.#server === null) this.#connect(turn + 1)
      else this.cut()
    })
  }

  #read(from: Socket, lane: Lane): void {
    from.on('data', (bytes: Buffer) => lane.put(bytes))
    from.on('end', () => lane.put(null))
    from.on('error', () => this.cut())
    from.on('close', () => {
      lane.put(null)
      if (this.#client.destroyed && (this.#server?.destroyed ?? true)) this.#end()
    })
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#there.drop()
    this.#back.drop()
    this.#over()
  }
}

/** One direction of a pair: hands on what comes in, in order, when it is due. */
class Lane {
  readonly #state: PairState
  /** `null` = the end. */
  #held: { bytes: Buffer | null; due: number }[] = []
  #to: Socket | null = null
  #timer: Timer | undefined

  constructor(state: PairState) {
    this.#state = state
  }

  goesTo(to: Socket): void {
    this.#to = to
    this.pump()
  }

  put(bytes: Buffer | null): void {
    this.#held.push({ bytes, due: performance.now() + this.#state.delayMs })
    this.pump()
  }

  drop(): void {
    clearTimeout(this.#timer)
    this.#held = []
  }

  pump(): void {
    clearTimeout(this.#timer)
    if (this.#to === null) return
    for (let next = this.#held[0]; next !== undefined && !this.#state.isSwallowing; next = this.#held[0]) {
      const wait = next.due - performance.now()
      if (wait > 0) {
        this.#timer = setTimeout(() => this.pump(), wait)
        return
      }
      this.#held.shift()
      if (this.#to.destroyed) continue
      if (next.bytes === null) this.#to.end()
      else this.#to.write(next.bytes)
    }
  }
}
