import type { SessionId } from '../../domain/ids'
import { sessionStatus } from '../../domain/session/session-status'
import type { Store } from '../../domain/store'
import type { Caller } from '../../domain/task/worker-protocol'
import type { TodoService } from '../../engine/todos/todo-service'
import type { RecordEngine } from '../threads/record-engine'
import { withMethods } from '../write-methods'

interface EndingOptions {
  home: string
  store: Store
  engine(): Promise<RecordEngine>
}

/**
 * To-dos whose end is the end of their session: nothing else reports it where lists are handed over and no hook is installed. The word
 * goes into the hook journal as any hook's does, so it stays through a rebuild, and whatever the conversation does later is newer.
 */
export function endingSession(todos: TodoService, { home, store, engine }: EndingOptions): TodoService {
  return withMethods(todos, {
    async finalize(caller: Caller, session: SessionId) {
      const ended = await todos.finalize(caller, session)
      const known = await store.sessions.find(session)
      const at = Date.now()
      if (known === undefined || sessionStatus(known.signals, at).status === 'ended') return ended
      const [{ keepHookLine }, { FINALIZED }] = await Promise.all([
        import('../issue-files/sync-todos'),
        import('../../engine/record/hooks'),
      ])
      const payload = Buffer.from(JSON.stringify({ session_id: session, ...FINALIZED }))
      const ref = keepHookLine(home, payload, at, known.agent)
      await (await engine()).recordFile(ref)
      return ended
    },
  })
}
