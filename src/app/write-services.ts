import type { LeadPolicy } from '../domain/task/lead-answers'
import type { SpawnLimits } from '../domain/task/task'
import { createAuditService } from '../engine/audit/audit-service'
import { createBudgetService } from '../engine/budgets/budget-service'
import { createInboxService } from '../engine/inbox/inbox-service'
import type { IssueFiles } from '../engine/issues/trackers/issue-files'
import { createMessageService } from '../engine/messages/message-service'
import { createNotifyService } from '../engine/notify/notify-service'
import { createNeedService } from '../engine/overview/need-service'
import { createRegistryService } from '../engine/registry/registry-service'
import { createTaskService } from '../engine/tasks/task-service'
import { createTokenService } from '../engine/tokens/token-service'
import type { LeaseSettings, OwnHost } from '../engine/unit/unit'
import { createUserService } from '../engine/users/user-service'
import { createViewService } from '../engine/views/view-service'
import { type TrackerSettings, trackerServices } from './issue-files/tracker-services'
import type { KeptStore } from './threads/record-engine'
import type { WriteServices } from './write-methods'

export interface WriteServicesOptions {
  store: KeptStore
  followedRoots: OwnHost
  trackers: TrackerSettings
  spawnLimits: SpawnLimits
  /** Workers have a folder for tasks that name none. */
  hasFolder: boolean
  lease: LeaseSettings
  /** What leads may answer; default nothing. */
  leads?: LeadPolicy
  issueFiles: IssueFiles
}

/** Every use case that writes, over one store: for the thread that holds the write side while a server runs. */
export function createWriteServices(options: WriteServicesOptions): WriteServices {
  const { store, followedRoots, trackers, spawnLimits, hasFolder, lease, leads, issueFiles } = options
  return {
    tasks: createTaskService({ store, followedRoots: () => followedRoots, spawnLimits, hasFolder, lease, leads }),
    messages: createMessageService({ store, ...(leads && { leads }) }),
    registry: createRegistryService({ store, hasFolder }),
    inbox: createInboxService({ store, hasFolder }),
    needs: createNeedService({ store }),
    views: createViewService({ store }),
    notify: createNotifyService({ store }),
    budgets: createBudgetService({ store }),
    tokens: createTokenService({ store, followedRoots: () => followedRoots }),
    users: createUserService({ store }),
    audit: createAuditService({ store }),
    ...trackerServices(store, issueFiles, trackers),
  }
}
