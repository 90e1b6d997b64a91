import { connect, createServer, type Server, type Socket } from 'node:net'
import { WireReader } from './wire-reader'

/** What went to the database in some time. */
export interface Traffic {
  statements: number
  /** Times that a connection spoke after it had heard an answer, or for the first time. */
  roundTrips: number
  /** Each text with how often it was asked for. */
  texts: Map<string, number>
}

/** Stands before a PostgreSQL server as if that were further away, and counts what is asked of it. */
export class DistantDatabase {
  /** Milliseconds each way. */
  latencyMs = 0
  private traffic = none()
  private readonly server: Server
  private readonly sockets = new Set<Socket>()
  private readonly target: URL

  private constructor(target: URL) {
    this.target = target
    this.server = createServer((client) => this.connected(client))
  }

  static async before(url: string): Promise<DistantDatabase> {
    const made = new DistantDatabase(new URL(url))
    await new Promise<void>((resolve) => made.server.listen(0, '127.0.0.1', resolve))
    return made
  }

  get url(): string {
    const url = new URL(this.target)
    url.port = String((this.server.address() as { port: number }).port)
    return url.href
  }

  /** What was counted since it was taken last. */
  take(): Traffic {
    const taken = this.traffic
    this.traffic = none()
    return taken
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy()
    await new Promise((resolve) => this.server.close(resolve))
  }

  private connected(client: Socket): void {
    const database = connect(Number(this.target.port), this.target.hostname)
    const reader = new WireReader()
    let isAnswered = true
    client.on('data', (piece) => {
      const said = piece as Buffer
      if (isAnswered) this.traffic.roundTrips++
      isAnswered = false
      for (const text of reader.read(said)) {
        this.traffic.statements++
        this.traffic.texts.set(text, (this.traffic.texts.get(text) ?? 0) + 1)
      }
      this.later(() => database.write(said))
    })
    database.on('data', (piece) =>
      this.later(() => {
        isAnswered = true
        client.write(piece)
      }),
    )
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      this.sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        this.sockets.delete(socket)
        other.destroy()
      })
    }
  }

  private later(act: () => void): void {
    if (this.latencyMs === 0) act()
    else setTimeout(act, this.latencyMs)
  }
}

const none = (): Traffic => ({ statements: 0, roundTrips: 0, texts: new Map() })
