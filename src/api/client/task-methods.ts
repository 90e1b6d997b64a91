import type { TaskLogLine } from '../../domain/task'
import type { Caller, FollowOptions } from './call'
import { callCreate } from './create'
import { followStream } from './follow-stream'
import { listAll } from './list-all'
import { isRecord, parseJson } from './remote-error'
import type { WorkClient } from './work-client'

/** The methods for tasks. */
export function taskMethods(caller: Caller): WorkClient['tasks'] {
  const { call } = caller
  return {
    create: (input, o) => callCreate(caller, 'tasks.create', input, o),
    list: (input = {}, o) => call('tasks.list', input, o),
    all: (input = {}, o) =>
      listAll(
        (cursor) => call('tasks.list', { ...input, cursor }, o),
        (page) => page.tasks,
      ),
    costs: (ids, o) => call('tasks.costs', { id: [...ids] }, o),
    get: (id, o) => call('tasks.get', { id }, o),
    patch: (id, input, o) => call('tasks.patch', { ...input, id }, o),
    cancel: (id, input = {}, o) => call('tasks.cancel', { ...input, id }, o),
    pause: (id, input = {}, o) => call('tasks.pause', { ...input, id }, o),
    resume: (id, o) => call('tasks.resume', { id }, o),
    deploy: (id, o) => call('tasks.deploy', { id }, o),
    retry: (id, input = {}, o) => call('tasks.retry', { ...input, id }, o),
    offer: (id, input, o) => call('tasks.offer', { ...input, id }, o),
    accept: (id, input = {}, o) => call('tasks.accept', { ...input, id }, o),
    reject: (id, input = {}, o) => call('tasks.reject', { ...input, id }, o),
    release: (id, input = {}, o) => call('tasks.release', { ...input, id }, o),
    progress: (id, input, o) => call('tasks.progress', { ...input, id }, o),
    finish: (id, input, o) => call('tasks.finish', { ...input, id }, o),
    claim: (id, input = {}, o) =>
      id === null ? call('tasks.claimNext', input, o) : call('tasks.claim', { ...input, id }, o),
    input: (id, input, o) => call('tasks.input', { ...input, id }, o),
    setConversation: (id, claudeSessionId, o) => call('tasks.setConversation', { id, claudeSessionId }, o),
    tree: (id, input = {}, o) => call('tasks.tree', { ...input, id }, o),
    log: (id, input = {}, o) => call('tasks.log', { ...input, id }, o),
    followLog: (id, input = {}, o) => followLog(caller, id, input.after, o),
    recall: async (id, input, o) => (await caller.open('tasks.recall', { ...input, id }, o)).text(),
    prompt: async (id, input, o) => (await caller.open('tasks.prompt', { ...input, id }, o)).text(),
  }
}

/** The methods for epics. */
export function epicMethods(caller: Caller): WorkClient['epics'] {
  const { call } = caller
  return {
    create: (input, o) => callCreate(caller, 'epics.create', input, o),
    list: (input = {}, o) => call('epics.list', input, o),
    get: (id, o) => call('epics.get', { id }, o),
    createTask: (id, input, o) => callCreate(caller, 'epics.createTask', { ...input, id }, o),
  }
}

function followLog(
  caller: Caller,
  id: string,
  after: number | undefined,
  options?: FollowOptions,
): AsyncGenerator<TaskLogLine> {
  const input = { id, ...(after !== undefined && { after }) }
  return followStream(caller, { route: 'tasks.log', input, cursor: after, read: readLine, endEvent: 'end' }, options)
}

function readLine(data: string): TaskLogLine | undefined {
  const line = parseJson(data)
  return isRecord(line) && typeof line.id === 'number' ? (line as unknown as TaskLogLine) : undefined
}
