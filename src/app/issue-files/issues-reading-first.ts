import type { Store } from '../../domain/store'
import type { IssueService } from '../../engine/issues/issue-service'
import { freshScope } from '../../engine/issues/resolve-scope'
import type { IssueFiles } from '../../engine/issues/trackers/issue-files'
import { withMethods } from '../write-methods'

/**
 * A service of issues for a process that reads by itself: a tracker in step with its file asks nothing of the side that writes.
 * @param settle  closes issues whose to-do is completed; asked for when there are such
 */
export function readingFirst(
  service: IssueService,
  store: Store,
  files: IssueFiles,
  settle: (() => Promise<void>) | null = null,
): IssueService {
  return withMethods(service, {
    resolveScope: async (caller, scope) => {
      if (settle !== null && (await store.todos.promotionsToClose(1)).length > 0) await settle()
      return (await freshScope(store, files, caller, scope)) ?? (await service.resolveScope(caller, scope))
    },
  })
}
