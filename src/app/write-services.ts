import type { LeadPolicy } from '../domain/lead-answers'
import type { SpawnLimits } from '../domain/task'
import { createInboxService } from '../engine/inbox/create-service'
import type { IssueFiles } from '../engine/issues/issue-files'
import { createMessageService } from '../engine/messages/create-service'
import { createNeedService } from '../engine/overview/need-service'
import { createRegistryService } from '../engine/registry/create-service'
import { createTaskService } from '../engine/tasks/create-service'
import type { LeaseSettings, OwnHost } from '../engine/tasks/unit'
import type { KeptStore } from './record-engine'
import { type TrackerSettings, trackerServices } from './tracker-services'
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

/** Every use case that writes, over one store: for whoever holds the write side for as long as a server runs. */
export function createWriteServices(options: WriteServicesOptions): WriteServices {
  const { store, followedRoots, trackers, spawnLimits, hasFolder, lease, leads, issueFiles } = options
  return {
    tasks: createTaskService({ store, followedRoots: () => followedRoots, spawnLimits, hasFolder, lease, leads }),
    messages: createMessageService({ store, ...(leads && { leads }) }),
    registry: createRegistryService({ store, hasFolder }),
    inbox: createInboxService({ store, hasFolder }),
    needs: createNeedService({ store }),
    ...trackerServices(store, issueFiles, trackers),
  }
}
