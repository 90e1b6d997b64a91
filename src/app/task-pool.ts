import type { InboxService } from '../engine/inbox/inbox-service'
import type { IssueService } from '../engine/issues/issue-service'
import type { MessageService } from '../engine/messages/message-service'
import type { RegistryService } from '../engine/registry/registry-service'
import type { TaskService } from '../engine/tasks/task-service'
import type { TodoService } from '../engine/todos/todo-service'
import { threadUrl } from '../util/thread-url'
import { inboxServiceOver } from './inbox-methods'
import { issueServiceOver } from './issue-methods'
import { messageServiceOver } from './message-methods'
import { registryServiceOver } from './registry-methods'
import { taskServiceOver } from './task-methods'
import type { TaskThreadStart } from './task-thread'
import { ThreadClient } from './thread-call'
import { todoServiceOver } from './todo-methods'

/** The services of tasks, issues and to-dos behind a thread of this process. The thread begins with the first call, and again when it died. */
export function threadedTasks(
  start: TaskThreadStart,
  onDeath: (reason: string) => void,
): {
  service: TaskService
  issues: IssueService
  todos: TodoService
  messages: MessageService
  registry: RegistryService
  inbox: InboxService
  close(): Promise<void>
} {
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
  const call = async (method: string, args: unknown[]): Promise<unknown> => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return await (await opened).callJson(method, args)
  }
  return {
    service: taskServiceOver(call),
    issues: issueServiceOver((method, args) => call(`issues.${method}`, args)),
    todos: todoServiceOver((method, args) => call(`todos.${method}`, args)),
    registry: registryServiceOver((method, args) => call(`registry.${method}`, args)),
    messages: messageServiceOver((method, args) => call(`messages.${method}`, args)),
    inbox: inboxServiceOver((method, args) => call(`inbox.${method}`, args)),
    async close() {
      isClosed = true
      await (await opened?.catch(() => undefined))?.end()
    },
  }
}
