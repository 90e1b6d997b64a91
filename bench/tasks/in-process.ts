import { openDatabase } from '../../src/app/threads/database'
import { sessionId } from '../../src/domain/ids'
import type { Store } from '../../src/domain/store'
import type { TaskService } from '../../src/engine/tasks/task-service'
import { createTaskService } from '../../src/engine/tasks/task-service'
import { prepareHome } from '../common/lode'
import type { Lives } from './one-life'

const OPERATOR = { kind: 'operator' } as const

/** The same use cases over the same store, called without HTTP and on one thread, from source. */
export class InProcess implements Lives {
  private readonly store: Store & { close(): Promise<void> }
  private readonly tasks: TaskService
  private joined = 0

  private constructor(store: Store & { close(): Promise<void> }) {
    this.store = store
    this.tasks = createTaskService({ store, hasFolder: true })
  }

  static async open(home: string): Promise<InProcess> {
    prepareHome(home)
    return new InProcess(await openDatabase({ home, databaseUrl: null }, { mode: 'read-write', migrate: true }))
  }

  async client(): Promise<() => Promise<void>> {
    const { tasks } = this
    const { agent } = await tasks.join(OPERATOR, {
      name: `client-${++this.joined}`,
      kind: 'worker',
      capabilities: [],
      concurrency: 1_000,
      hostname: 'bench',
      hostName: 'bench',
      bootId: crypto.randomUUID(),
      isFormerGone: true,
      version: '0.0.0',
    })
    const worker = { kind: 'agent', agentId: agent.id, agentKind: 'worker' } as const
    return async () => {
      await tasks.create(OPERATOR, { task: 'a life', agentId: agent.id }, null)
      const assignment = await tasks.claim(worker, null, {})
      if (assignment === null) throw new Error('there was no task to claim')
      const { attemptId, generation } = assignment
      const { id } = assignment.task
      const own = { kind: 'attempt', attemptId, taskId: id, agentId: agent.id, generation } as const
      await tasks.setConversation(own, id, sessionId(crypto.randomUUID()))
      await tasks.progress(own, id, { progress: 'half way' })
      await tasks.finish(own, id, { status: 'completed', output: 'done' })
    }
  }

  close(): Promise<void> {
    return this.store.close()
  }
}
