import { AppError } from '../domain/errors'
import type { InboxService } from '../engine/inbox/inbox-service'
import type { IssueService } from '../engine/issues/issue-service'
import type { MessageService } from '../engine/messages/message-service'
import type { NeedService } from '../engine/overview/need-service'
import type { RegistryService } from '../engine/registry/registry-service'
import type { TaskService } from '../engine/tasks/task-service'
import type { TodoService } from '../engine/todos/todo-service'

/** Every use case that writes beside the record itself, by noun. */
export interface WriteServices {
  tasks: TaskService
  issues: IssueService
  todos: TodoService
  messages: MessageService
  registry: RegistryService
  inbox: InboxService
  needs: NeedService
}
export type WriteNoun = keyof WriteServices

/** Every method of each port: what may be asked of the thread that writes. One that is missing here does not compile. */
const METHODS: { readonly [Noun in WriteNoun]: Readonly<Record<keyof WriteServices[Noun], true>> } = {
  tasks: {
    create: true,
    createPlan: true,
    patch: true,
    cancel: true,
    pause: true,
    resume: true,
    deploy: true,
    retry: true,
    offer: true,
    accept: true,
    reject: true,
    release: true,
    progress: true,
    finish: true,
    setConversation: true,
    input: true,
    claim: true,
    createEpic: true,
    createInEpic: true,
    join: true,
    describeAgent: true,
    poll: true,
    report: true,
    ask: true,
    answer: true,
    sweep: true,
    renewAll: true,
  },
  issues: {
    enter: true,
    create: true,
    update: true,
    close: true,
    reopen: true,
    delete: true,
    claim: true,
    claimNext: true,
    release: true,
    addDependency: true,
    removeDependency: true,
    comment: true,
    dispatch: true,
    import: true,
    export: true,
    sync: true,
    setStatuses: true,
    sweep: true,
  },
  todos: {
    link: true,
    unlink: true,
    saw: true,
    finalize: true,
    promote: true,
    take: true,
    settle: true,
    dropOld: true,
  },
  messages: {
    send: true,
    take: true,
    wait: true,
    acknowledge: true,
    withdraw: true,
    launch: true,
    flights: true,
    settle: true,
  },
  registry: {
    register: true,
    update: true,
    attach: true,
    detach: true,
    resume: true,
  },
  inbox: {
    receive: true,
    delegate: true,
    reply: true,
    close: true,
    putSource: true,
    removeSource: true,
    fetchReplies: true,
    announce: true,
    takeReplies: true,
    settleReply: true,
  },
  needs: {
    dismiss: true,
    sweep: true,
  },
}

/** Services whose every method is one call: of a thread, or of services that are loaded with the first call. */
export function writeServicesOver(
  call: (noun: WriteNoun, method: string, args: unknown[]) => Promise<unknown>,
): WriteServices {
  const serviceOf = (noun: WriteNoun) =>
    Object.fromEntries(
      Object.keys(METHODS[noun]).map((method) => [method, (...args: unknown[]) => call(noun, method, args)]),
    )
  const nouns = Object.keys(METHODS) as WriteNoun[]
  // Each name has the port's own signature on the other side of the call.
  return Object.fromEntries(nouns.map((noun) => [noun, serviceOf(noun)])) as unknown as WriteServices
}

/** Calls a method by its names. @throws `internal` there is no such method, and what it throws */
export async function callWriteMethod(
  services: Partial<WriteServices>,
  noun: string,
  method: string,
  args: unknown[],
): Promise<unknown> {
  const methods: Readonly<Record<string, true>> | undefined = Object.hasOwn(METHODS, noun)
    ? METHODS[noun as WriteNoun]
    : undefined
  const service = services[noun as WriteNoun]
  if (methods === undefined || !Object.hasOwn(methods, method) || service === undefined)
    throw new AppError('internal', `nothing that writes knows ${noun}.${method}`)
  // The caller's types are those of the same port.
  const found = (service as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>)[method]
  return await found?.apply(service, args)
}
