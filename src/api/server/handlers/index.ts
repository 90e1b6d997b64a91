import type { Operation } from '../../contract/operation'
import type { OperationName, Operations } from '../../contract/operations'
import type { Handled, Handler } from '../handler'

/**
 * The files that hold a noun's handlers. One is loaded with the first request that it may answer: a command that answers itself makes one or
 * two requests, and all handlers together cost it several milliseconds.
 */
const FILES = {
  health: [() => import('./server/service')],
  metrics: [() => import('./server/metrics')],
  ready: [() => import('./server/ready')],
  status: [() => import('./server/service')],
  doctor: [() => import('./server/service')],
  retention: [() => import('./server/retention')],
  import: [() => import('./server/import')],
  rebuild: [() => import('./server/import')],
  openapi: [() => import('./server/describe')],
  hooks: [() => import('./server/hooks')],
  login: [() => import('./server/login'), () => import('./server/provider-login')],
  audit: [() => import('./server/audit')],
  secrets: [() => import('./server/secrets')],
  mcp: [() => import('./server/mcp')],
  tokens: [() => import('./server/tokens')],
  shares: [() => import('./record/documents')],
  workers: [() => import('./server/tokens')],
  machines: [() => import('./work/machines')],
  users: [() => import('./server/users')],
  views: [() => import('./overview/views')],
  sessions: [
    () => import('./record/sessions'),
    () => import('./record/rows'),
    () => import('./record/live'),
    () => import('./record/conversation'),
    () => import('./record/events'),
    () => import('./record/recovery'),
    () => import('./messages/registry'),
    () => import('./messages/messages'),
    () => import('./record/export'),
    () => import('./record/documents'),
    () => import('./record/replay'),
    () => import('./record/changes'),
  ],
  conversations: [() => import('./record/conversations')],
  subagents: [() => import('./record/subagents'), () => import('./record/recovery')],
  recover: [() => import('./record/recovery')],
  toolUses: [() => import('./record/tool-uses')],
  events: [() => import('./record/events')],
  search: [() => import('./record/events')],
  feed: [() => import('./record/feed')],
  files: [() => import('./record/conversations')],
  tasks: [
    () => import('./work/tasks'),
    () => import('./work/task-moves'),
    () => import('./work/task-log'),
    () => import('./work/task-work'),
    () => import('./work/task-prompt'),
  ],
  epics: [() => import('./work/epics')],
  plans: [() => import('./work/plans')],
  agents: [() => import('./work/agents')],
  agentClis: [() => import('./work/agent-clis')],
  attempts: [() => import('./work/attempts')],
  questions: [() => import('./work/questions'), () => import('./work/always-allow')],
  issues: [() => import('./issues/issues'), () => import('./issues/issue-details')],
  todos: [() => import('./issues/todos')],
  links: [() => import('./issues/links')],
  messages: [() => import('./messages/messages')],
  recall: [() => import('./messages/recall')],
  handoffs: [() => import('./messages/recall')],
  inbox: [() => import('./messages/inbox')],
  notify: [() => import('./messages/notify')],
  digest: [() => import('./overview/overview')],
  overview: [() => import('./overview/overview')],
  needs: [() => import('./overview/overview')],
  tree: [() => import('./overview/tree-level')],
  costs: [() => import('./overview/costs')],
  costsOverTime: [() => import('./overview/costs')],
  days: [() => import('./overview/days')],
  budgets: [() => import('./overview/budgets')],
  fleet: [() => import('./overview/fleet')],
  lanes: [() => import('./overview/lanes')],
} satisfies Record<keyof Operations, readonly (() => Promise<object>)[]>

type FileOf<Noun extends keyof typeof FILES> = Awaited<ReturnType<(typeof FILES)[Noun][number]>>
type ValuesOf<File> = File extends object ? File[keyof File] : never
type NameOf<Value> = Value extends { operation: { name: infer Name } } ? Name : never
type HandledName = NameOf<ValuesOf<FileOf<keyof typeof FILES>>>

/** Compile-time proof: an operation that no file handles fails here. */
export const EVERY_OPERATION_IS_HANDLED: [Exclude<OperationName, HandledName>] extends [never] ? true : never = true

const found = new Map<Operation, Handler<Operation>>()

/** The handler of an operation. */
export async function handlerOf(operation: Operation): Promise<Handler<Operation>> {
  const known = found.get(operation)
  if (known !== undefined) return known
  const noun = operation.name.split('.')[0] as keyof typeof FILES
  for (const load of FILES[noun]) {
    for (const one of Object.values<unknown>(await load())) if (isHandled(one)) found.set(one.operation, one.answer)
    const handler = found.get(operation)
    if (handler !== undefined) return handler
  }
  throw new Error(`No handler for ${operation.name}.`)
}

const isHandled = (value: unknown): value is Handled<Operation> =>
  typeof value === 'object' && value !== null && 'operation' in value && 'answer' in value
