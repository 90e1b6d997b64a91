/**
 * The thread that writes tasks on the embedded database, so that the main loop waits for no commit and no task waits behind a
 * file that is being recorded; issues, to-dos, messages and what belongs to them are written there too. Its first message is `open`.
 */
import { AppError } from '../../domain/errors'
import type { LeadPolicy } from '../../domain/task/lead-answers'
import type { SpawnLimits } from '../../domain/task/task'
import { UnitTimes } from '../../domain/unit-times'
import type { LeaseSettings, OwnHost } from '../../engine/unit/unit'
import { createIssueFiles } from '../issue-files/issue-files'
import type { TrackerSettings } from '../issue-files/tracker-services'
import { callWriteMethod, type WriteServices } from '../write-methods'
import { createWriteServices } from '../write-services'
import { openDatabase } from './database'
import type { KeptStore } from './record-engine'
import { serveCalls } from './thread-call'

declare const self: Worker & Parameters<typeof serveCalls>[0]

/** The thread's first message. */
export interface TaskThreadStart {
  home: string
  /** The setting. */
  blobs: string | null
  gate: SharedArrayBuffer
  /** Memory of `UnitTimes`. */
  unitTimes: SharedArrayBuffer
  followedRoots: OwnHost
  trackers: TrackerSettings
  spawnLimits: SpawnLimits
  hasFolder: boolean
  lease: LeaseSettings
  leads: LeadPolicy
}

let store: KeptStore | undefined
let services: WriteServices | undefined

serveCalls(self, async (method, args) => {
  if (method === 'open') {
    const { home, blobs, gate, unitTimes: memory, ...settings } = args[0] as TaskThreadStart
    const unitTimes = new UnitTimes('sqlite', memory)
    store = await openDatabase({ home, blobs, databaseUrl: null }, { mode: 'read-write', gate, unitTimes })
    const issueFiles = createIssueFiles({
      hostName: settings.followedRoots.hostName,
      home,
      bd: settings.trackers.bdFolders,
    })
    services = createWriteServices({ store, issueFiles, ...settings })
    return null
  }
  if (method === 'close') return await store?.close()
  if (!services) throw new AppError('internal', 'The task thread is not open.')
  const [noun = '', name = ''] = method.split('.')
  return await callWriteMethod(services, noun, name, args)
})
