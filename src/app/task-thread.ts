/**
 * The thread that writes tasks on the embedded database, so that the main loop waits for no commit and no task waits behind a
 * file that is being recorded. Its first message is `open`.
 */
import { AppError } from '../domain/errors'
import type { SpawnLimits } from '../domain/task'
import { createInboxService } from '../engine/inbox/create-service'
import type { InboxService } from '../engine/inbox/inbox-service'
import type { IssueService } from '../engine/issues/issue-service'
import { createMessageService } from '../engine/messages/create-service'
import type { MessageService } from '../engine/messages/message-service'
import { createRegistryService } from '../engine/registry/create-service'
import type { RegistryService } from '../engine/registry/registry-service'
import { createTaskService } from '../engine/tasks/create-service'
import type { TaskService } from '../engine/tasks/task-service'
import type { TodoService } from '../engine/todos/todo-service'
import { openDatabase } from './database'
import { isInboxMethod } from './inbox-methods'
import { createIssueFiles } from './issue-files'
import { isIssueMethod } from './issue-methods'
import { isMessageMethod } from './message-methods'
import type { KeptStore } from './record-engine'
import { isRegistryMethod } from './registry-methods'
import { isTaskMethod } from './task-methods'
import { serveCalls } from './thread-call'
import { isTodoMethod } from './todo-methods'
import { type TrackerSettings, trackerServices } from './tracker-services'

declare const self: Worker & Parameters<typeof serveCalls>[0]

/** What the thread is told before anything else. */
export interface TaskThreadStart {
  home: string
  gate: SharedArrayBuffer
  followedRoots: { hostName: string; roots: string[] }
  trackers: TrackerSettings
  spawnLimits: SpawnLimits
}

let store: KeptStore | undefined
let service: TaskService | undefined
let issues: IssueService | undefined
let todos: TodoService | undefined
let messages: MessageService | undefined
let registry: RegistryService | undefined
let inbox: InboxService | undefined

serveCalls(self, async (method, args) => {
  if (method === 'open') {
    const { home, gate, followedRoots, trackers, spawnLimits } = args[0] as TaskThreadStart
    store = await openDatabase({ home, databaseUrl: null }, { mode: 'read-write', gate })
    service = createTaskService({ store, followedRoots: () => followedRoots, spawnLimits })
    messages = createMessageService({ store })
    registry = createRegistryService({ store })
    inbox = createInboxService({ store })
    const files = createIssueFiles({ hostName: followedRoots.hostName, home })
    ;({ issues, todos } = trackerServices(store, files, trackers))
    return null
  }
  if (method === 'close') return await store?.close()
  const issueMethod = method.replace(/^issues\./, '')
  if (issueMethod !== method && issues && isIssueMethod(issueMethod)) {
    const call = issues[issueMethod] as (...args: unknown[]) => Promise<unknown>
    return await call.apply(issues, args)
  }
  const todoMethod = method.replace(/^todos\./, '')
  if (todoMethod !== method && todos && isTodoMethod(todoMethod)) {
    const call = todos[todoMethod] as (...args: unknown[]) => Promise<unknown>
    return await call.apply(todos, args)
  }
  const registryMethod = method.replace(/^registry\./, '')
  if (registryMethod !== method && registry && isRegistryMethod(registryMethod)) {
    const call = registry[registryMethod] as (...args: unknown[]) => Promise<unknown>
    return await call.apply(registry, args)
  }
  const messageMethod = method.replace(/^messages\./, '')
  if (messageMethod !== method && messages && isMessageMethod(messageMethod)) {
    const call = messages[messageMethod] as (...args: unknown[]) => Promise<unknown>
    return await call.apply(messages, args)
  }
  const inboxMethod = method.replace(/^inbox\./, '')
  if (inboxMethod !== method && inbox && isInboxMethod(inboxMethod)) {
    const call = inbox[inboxMethod] as (...args: unknown[]) => Promise<unknown>
    return await call.apply(inbox, args)
  }
  if (!service) throw new AppError('internal', 'the task thread is not open')
  if (!isTaskMethod(method)) throw new AppError('internal', `the task thread knows no ${method}`)
  // The caller's types are those of the same port.
  const call = service[method] as (...args: unknown[]) => Promise<unknown>
  return await call.apply(service, args)
})
