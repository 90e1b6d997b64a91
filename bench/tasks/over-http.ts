import type { Lives } from './one-life'
import type { WorkServer } from './work-server'

/** Lives through the server of the compiled executable. */
export class OverHttp implements Lives {
  private readonly server: WorkServer
  private readonly prefix: string
  private joined = 0

  /** @param prefix  of its workers' names, where several servers share a database */
  constructor(server: WorkServer, prefix = 'client-') {
    this.server = server
    this.prefix = prefix
  }

  async client(): Promise<() => Promise<void>> {
    const creator = this.server.client()
    const worker = await this.server.join(`${this.prefix}${++this.joined}`)
    return async () => {
      await creator.tasks.create({ task: 'a life', dir: '/', agentId: worker.id })
      const { assignment } = await worker.client.tasks.claimNext()
      if (assignment === null) throw new Error('there was no task to claim')
      const { id } = assignment.task
      const own = this.server.client(assignment.token)
      await worker.client.tasks.setConversation(id, { claudeSessionId: crypto.randomUUID() })
      await own.tasks.progress(id, { progress: 'half way' })
      await own.tasks.finish(id, { status: 'completed', output: 'done' })
    }
  }
}
