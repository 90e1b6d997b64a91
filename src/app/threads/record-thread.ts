/**
 * The thread that writes the record on the embedded database: reads files, parses, compresses and commits. Its first message
 * is `open`; until then it holds nothing. Several may run: the gate lets them take turns.
 */
import { AppError } from '../../domain/errors'
import type { SecretSettings } from '../../domain/secrets/mask'
import type { TodoFoldOptions } from '../../domain/todo/todo-step'
import { UnitTimes } from '../../domain/unit-times'
import type { HostIdentity } from '../files/home'
import { blobsOf, openDatabase } from './database'
import { createRecordEngine, type RebuildTotals, type RecordEngine } from './record-engine'
import { serveCalls } from './thread-call'

declare const self: Worker & Parameters<typeof serveCalls>[0]

/** The thread's first message. */
export interface RecordThreadStart {
  home: string
  /** The setting. */
  blobs: string | null
  host: HostIdentity
  gate: SharedArrayBuffer
  /** Memory of `UnitTimes`; default: it is noted nowhere how long units took. */
  unitTimes?: SharedArrayBuffer
  /** Whether launches in the background are listed. */
  hasManifests: boolean
  /** How lists of to-dos are folded. */
  todos?: TodoFoldOptions
  /** What counts as a secret. */
  secrets?: SecretSettings
  /** Whether search finds what tools gave out. Default: it does. */
  indexesOutput?: boolean
}

let engine: RecordEngine | undefined

serveCalls(self, async (method, args, progress) => {
  if (method === 'open') {
    const { home, blobs, host, gate, hasManifests, todos, secrets, indexesOutput, ...start } =
      args[0] as RecordThreadStart
    const unitTimes = start.unitTimes && { unitTimes: new UnitTimes('sqlite', start.unitTimes) }
    const store = await openDatabase({ home, blobs, databaseUrl: null }, { mode: 'read-write', gate, ...unitTimes })
    engine = createRecordEngine(store, host, home, {
      blobs: await blobsOf({ home, blobs, databaseUrl: null }),
      ...(hasManifests && { manifestHome: home }),
      ...(todos && { todos }),
      ...(secrets && { secrets }),
      ...(indexesOutput !== undefined && { indexesOutput }),
    })
    return null
  }
  if (!engine) throw new AppError('internal', 'The record thread is not open.')
  switch (method) {
    case 'recordFile':
      return await engine.recordFile(...(args as Parameters<RecordEngine['recordFile']>))
    case 'recordGone':
      return await engine.recordGone(...(args as Parameters<RecordEngine['recordGone']>))
    case 'setProcesses':
      return await engine.setProcesses(args[0] as Parameters<RecordEngine['setProcesses']>[0])
    case 'checkShells':
      return await engine.checkShells()
    case 'setShells':
      return await engine.setShells(args[0] as Parameters<RecordEngine['setShells']>[0])
    case 'forget':
      return await engine.forget(...(args as Parameters<RecordEngine['forget']>))
    case 'rebuild':
      return await engine.rebuild((done: RebuildTotals) => progress(done))
    case 'scanSecrets':
      return await engine.scanSecrets()
    case 'eraseSecret':
      return await engine.eraseSecret(...(args as Parameters<RecordEngine['eraseSecret']>))
    case 'markRead':
      return await engine.markRead(...(args as Parameters<RecordEngine['markRead']>))
    case 'foldUsage':
      return await engine.foldUsage()
    case 'recountCosts':
      return await engine.recountCosts()
    case 'sweepManifests':
      return await engine.sweepManifests(args[0] as Parameters<RecordEngine['sweepManifests']>[0])
    case 'checkpoint':
      return await engine.checkpoint()
    case 'sealPacks':
      return await engine.sealPacks()
    case 'close':
      return await engine.close()
    default:
      throw new AppError('internal', `The record thread has no method ${method}.`)
  }
})
