/**
 * The thread that writes tasks on the embedded database, so that the main loop waits for no commit and no task waits behind a
 * file that is being recorded. Its first message is `open`.
 */
import { AppError } from '../domain/errors'
import { createIssueService } from '../engine/issues/create-service'
import type { IssueService } from '../engine/issues/issue-service'
import { createTaskService } from '../engine/tasks/create-service'
import type { TaskService } from '../engine/tasks/task-service'
import { openDatabase } from './database'
import { createIssueFiles } from './issue-files'
import { isIssueMethod } from './issue-methods'
import type { KeptStore } from './record-engine'
import { isTaskMethod } from './task-methods'
import { serveCalls } from './thread-call'

declare const self: Worker & Parameters<typeof serveCalls>[0]

/** What the thread is told before anything else. */
export interface TaskThreadStart {
  home: string
  gate: SharedArrayBuffer
  followedRoots: { hostName: string; roots: string[] }
  /** When the file of issues is written. */
  issueWrites: 'always' | 'sync'
}

let store: KeptStore | undefined
let service: TaskService | undefined
let issues: IssueService | undefined

serveCalls(self, async (method, args) => {
  if (method === 'open') {
    const { home, gate, followedRoots, issueWrites } = args[0] as TaskThreadStart
    store = await openDatabase({ home, databaseUrl: null }, { mode: 'read-write', gate })
    service = createTaskService({ store, followedRoots: () => followedRoots })
    const files = createIssueFiles({ hostName: followedRoots.hostName, home })
    issues = createIssueService({ store, files, writes: () => issueWrites })
    return null
  }
  if (method === 'close') return await store?.close()
  const issueMethod = method.replace(/^issues\./, '')
  if (issueMethod !== method && issues && isIssueMethod(issueMethod)) {
    const call = issues[issueMethod] as (...args: unknown[]) => Promise<unknown>
    return await call.apply(issues, args)
  }
  if (!service) throw new AppError('internal', 'the task thread is not open')
  if (!isTaskMethod(method)) throw new AppError('internal', `the task thread knows no ${method}`)
  // The caller's types are those of the same port.
  const call = service[method] as (...args: unknown[]) => Promise<unknown>
  return await call.apply(service, args)
})
