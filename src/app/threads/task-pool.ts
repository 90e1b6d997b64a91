import { threadUrl } from '../../util/thread-url'
import { type WriteServices, writeServicesOver } from '../write-methods'
import type { TaskThreadStart } from './task-thread'
import { ThreadClient } from './thread-call'

/** The services that write, behind a thread of this process. The thread begins with the first call, and again when it died. */
export function threadedTasks(
  start: TaskThreadStart,
  onDeath: (reason: string) => void,
): { services: WriteServices; close(): Promise<void> } {
  let opened: Promise<ThreadClient> | undefined
  let isClosed = false
  const open = async (): Promise<ThreadClient> => {
    const died = (reason: string): void => {
      opened = undefined
      if (!isClosed) onDeath(reason)
    }
    // Collecting early cost it a tenth of its tasks a second and saved no memory that could be measured.
    const client = new ThreadClient(threadUrl('app/threads/task-thread'), died, { isSmall: false })
    try {
      await client.call('open', [start])
    } catch (error) {
      await client.end().catch(() => {})
      throw error
    }
    return client
  }
  const call = async (method: string, args: unknown[]): Promise<unknown> => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return await (await opened).callJson(method, args)
  }
  return {
    services: writeServicesOver((noun, method, args) => call(`${noun}.${method}`, args)),
    async close() {
      isClosed = true
      await (await opened?.catch(() => undefined))?.end()
    },
  }
}
