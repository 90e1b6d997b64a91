import type { TaskService } from '../engine/tasks/task-service'
import { threadUrl } from '../util/thread-url'
import { taskServiceOver } from './task-methods'
import type { TaskThreadStart } from './task-thread'
import { ThreadClient } from './thread-call'

/** The service of tasks behind a thread of this process. The thread begins with the first call, and again when it died. */
export function threadedTasks(
  start: TaskThreadStart,
  onDeath: (reason: string) => void,
): { service: TaskService; close(): Promise<void> } {
  let opened: Promise<ThreadClient> | undefined
  let isClosed = false
  const open = async (): Promise<ThreadClient> => {
    const died = (reason: string): void => {
      opened = undefined
      if (!isClosed) onDeath(reason)
    }
    // Collecting early cost it a tenth of its tasks a second and saved no memory that could be measured.
    const client = new ThreadClient(threadUrl('app/task-thread'), died, { isSmall: false })
    try {
      await client.call('open', [start])
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
    return client
  }
  return {
    service: taskServiceOver(async (method, args) => {
      opened ??= open().catch((error: unknown) => {
        opened = undefined
        throw error
      })
      return await (await opened).callJson(method, args)
    }),
    async close() {
      isClosed = true
      await (await opened?.catch(() => undefined))?.end()
    },
  }
}
