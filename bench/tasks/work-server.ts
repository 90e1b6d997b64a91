import type { Client } from '../../src/api/client'
import { createClient, httpTransport } from '../../src/api/client'
import type { AgentId } from '../../src/domain/ids'
import { prepareHome, Server } from '../common/lode'

export type TaskClient = Client

/** A server of the compiled executable with clients to it. */
export class WorkServer {
  readonly home: string
  private readonly server: Server

  private constructor(home: string, server: Server) {
    this.home = home
    this.server = server
  }

  /** @param env  variables beside the usual ones: which database */
  static async start(lode: string, home: string, env: Record<string, string> = {}): Promise<WorkServer> {
    prepareHome(home)
    return new WorkServer(home, await Server.start(lode, home, 'serve', env))
  }

  /** A client that presents this token, the operator's by default. */
  client(token = this.token): TaskClient {
    const { url } = this.server
    return createClient(httpTransport({ token, origin: url }), { baseUrl: url })
  }

  get token(): string {
    return this.server.headers.authorization?.replace('Bearer ', '') ?? ''
  }

  /** Registers a worker on that host, and gives a client that speaks as it. */
  async join(name: string, hostName = 'bench'): Promise<{ id: AgentId; bootId: string; client: TaskClient }> {
    const bootId = crypto.randomUUID()
    const { agent, token } = await this.client().agents.join({
      name,
      kind: 'worker',
      capabilities: [],
      concurrency: 1_000,
      hostname: 'bench',
      hostName,
      bootId,
      isFormerGone: true,
      version: '0.0.0',
    })
    return { id: agent.id, bootId, client: this.client(token) }
  }

  state() {
    return this.server.state()
  }

  stop(): Promise<void> {
    return this.server.stop()
  }
}
