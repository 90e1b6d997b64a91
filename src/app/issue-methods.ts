import type { Store } from '../domain/store'
import { enteredAlready } from '../engine/issues/enter'
import type { IssueFiles } from '../engine/issues/issue-files'
import type { IssueService } from '../engine/issues/issue-service'

/** Every method of the port, by name: what may be asked of the thread that writes. */
export const ISSUE_METHODS = [
  'enter',
  'create',
  'update',
  'close',
  'reopen',
  'delete',
  'claim',
  'claimNext',
  'release',
  'addDependency',
  'removeDependency',
  'comment',
  'dispatch',
  'import',
  'export',
  'sync',
  'setStatuses',
  'sweep',
] as const satisfies readonly (keyof IssueService)[]

export type IssueMethod = (typeof ISSUE_METHODS)[number]

export const isIssueMethod = (name: string): name is IssueMethod => (ISSUE_METHODS as readonly string[]).includes(name)

/** A service whose methods are all one call. */
export function issueServiceOver(call: (method: IssueMethod, args: unknown[]) => Promise<unknown>): IssueService {
  const entries = ISSUE_METHODS.map((method) => [method, (...args: unknown[]) => call(method, args)])
  // Each name has the port's own signature on the other side of the call.
  return Object.fromEntries(entries) as unknown as IssueService
}

/**
 * The same service for a process that reads by itself: a tracker in step with its file asks nothing of the side that writes.
 * @param settle  closes issues whose to-do is completed; asked for when there are such
 */
export function readingFirst(
  service: IssueService,
  store: Store,
  files: IssueFiles,
  settle: (() => Promise<void>) | null = null,
): IssueService {
  return {
    ...service,
    enter: async (caller, scope) => {
      if (settle !== null && (await store.todos.promotionsToClose(1)).length > 0) await settle()
      return (await enteredAlready(store, files, caller, scope)) ?? (await service.enter(caller, scope))
    },
  }
}
