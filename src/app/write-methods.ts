import { AppError } from '../domain/errors'
import type { AuditService } from '../engine/audit/audit-service'
import type { BudgetService } from '../engine/budgets/budget-service'
import type { InboxService } from '../engine/inbox/inbox-service'
import type { IssueService } from '../engine/issues/issue-service'
import type { MessageService } from '../engine/messages/message-service'
import type { NotifyService } from '../engine/notify/notify-service'
import type { NeedService } from '../engine/overview/need-service'
import type { RegistryService } from '../engine/registry/registry-service'
import type { TaskService } from '../engine/tasks/task-service'
import type { TodoService } from '../engine/todos/todo-service'
import type { TokenService } from '../engine/tokens/token-service'
import type { UserService } from '../engine/users/user-service'
import type { ViewService } from '../engine/views/view-service'

/** Every use case that writes beside the record itself, by noun. Each method gives a promise; arguments and answers are JSON values. */
export interface WriteServices {
  tasks: TaskService
  issues: IssueService
  todos: TodoService
  messages: MessageService
  registry: RegistryService
  inbox: InboxService
  needs: NeedService
  views: ViewService
  notify: NotifyService
  budgets: BudgetService
  tokens: TokenService
  users: UserService
  audit: AuditService
}
export type WriteNoun = keyof WriteServices

const NOUNS: Readonly<Record<WriteNoun, true>> = {
  tasks: true,
  issues: true,
  todos: true,
  messages: true,
  registry: true,
  inbox: true,
  needs: true,
  views: true,
  notify: true,
  budgets: true,
  tokens: true,
  users: true,
  audit: true,
}

/** Services whose every method is one call: of a thread, or of services that are loaded with the first call. */
export function writeServicesOver(
  call: (noun: WriteNoun, method: string, args: unknown[]) => Promise<unknown>,
): WriteServices {
  const nouns = Object.keys(NOUNS) as WriteNoun[]
  // Each method has the service's own signature on the other side of the call.
  return Object.fromEntries(
    nouns.map((noun) => [noun, methodsOver((...one) => call(noun, ...one))]),
  ) as unknown as WriteServices
}

/** An object that has every method, and makes each when it is first asked for. */
function methodsOver(call: (method: string, args: unknown[]) => Promise<unknown>): object {
  const made = new Map<string, unknown>()
  return new Proxy(
    {},
    {
      get(_target, name) {
        // With `then`, `await` would take it for a promise.
        if (typeof name !== 'string' || name === 'then') return undefined
        const known = made.get(name) ?? ((...args: unknown[]) => call(name, args))
        made.set(name, known)
        return known
      },
    },
  )
}

/** The service with these methods instead of its own. */
export const withMethods = <Service extends object>(service: Service, own: Partial<Service>): Service =>
  // Its other methods stay where they are: not all of them are properties that could be copied.
  Object.assign(Object.create(service) as Service, own)

/** Calls a method by its names. @throws `internal` there is no such method, and what it throws */
export async function callWriteMethod(
  services: Partial<WriteServices>,
  noun: string,
  method: string,
  args: unknown[],
): Promise<unknown> {
  const service = Object.hasOwn(NOUNS, noun) ? services[noun as WriteNoun] : undefined
  // What every object has is no use case.
  const found = service === undefined || method in Object.prototype ? undefined : Reflect.get(service, method)
  if (typeof found !== 'function') throw new AppError('internal', `No write method ${noun}.${method} exists.`)
  return await found.apply(service, args)
}
