import type { SessionId } from '../domain/ids'
import { sessionStatus } from '../domain/session-status'
import type { Store } from '../domain/store'
import type { Caller } from '../domain/worker-protocol'
import type { TodoService } from '../engine/todos/todo-service'
import type { RecordEngine } from './record-engine'

interface EndingOptions {
  home: string
  store: Store
  engine(): Promise<RecordEngine>
}

/**
 * To-dos whose end is the end of their session: nothing else tells of it where lists are handed over and no hook is installed. The word
 * goes into the hook journal as any hook's does, so it stays through a rebuild, and whatever the conversation does later is newer.
 */
export function endingSession(todos: TodoService, { home, store, engine }: EndingOptions): TodoService {
  return {
    ...todos,
    async finalize(caller: Caller, session: SessionId) {
      const ended = await todos.finalize(caller, session)
      const known = await store.sessions.find(session)
      const at = Date.now()
      if (known === undefined || sessionStatus(known.signals, at).status === 'ended') return ended
      const [{ keepHookLine }, { FINALIZED }] = await Promise.all([
        import('./sync-todos'),
        import('../harness/claude-code/hook'),
      ])
      const path = keepHookLine(home, Buffer.from(JSON.stringify({ session_id: session, ...FINALIZED })), at)
      await (await engine()).recordFile({ agent: 'claude-code', kind: 'hooks', path, sessionId: null, agentId: null })
      return ended
    },
  }
}
