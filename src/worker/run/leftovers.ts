import { isAppError } from '../../domain/errors'
import { proveGone } from '../../util/process/process-tree'
import { asWorker } from '../as-worker'
import { Backoff, pause } from '../link/backoff'
import { lockIdentity } from '../link/identity-lock'
import type { WorkerClient, WorkerOptions } from '../options'
import { Spool } from '../output/spool'
import { isPassing, SpoolUploader } from '../output/spool-uploader'
import { HookBridge } from '../sandbox/hook-bridge'
import { AttemptFolder, type AttemptNote, epochsDiffer } from './attempt-folder'

type LeftoverOptions = Pick<WorkerOptions, 'home' | 'log'> & { name: string }

/** Speaks as the worker that has joined. */
interface Link {
  client(): WorkerClient
}

/** The attempts that the server works on. */
interface EpochLink extends Link {
  readonly epoch: string | null
}

/** An attempt whose worker is gone. */
export interface Leftover {
  folder: AttemptFolder
  note: AttemptNote
}

/** Attempts that an earlier process of this worker left, and those of workers that are gone for good. Call with the name's lock held. */
export function findLeftovers({ home, name, log }: LeftoverOptions): Leftover[] {
  const found: Leftover[] = []
  for (const folder of AttemptFolder.list(home)) {
    const note = folder.readNote()
    // Cut short before it told anything: nothing was run from it.
    if (note === null) {
      if (folder.isOld()) folder.remove()
    } else if (note.worker === name) found.push({ folder, note })
    else if (adopt(home, name, { folder, note })) {
      log.info('taking over the runs of a previous worker', { attempt: note.attemptId, worker: note.worker })
      found.push({ folder, note })
    }
  }
  return found
}

/** Makes it ours when its worker does not run. */
function adopt(home: string, name: string, { folder, note }: Leftover): boolean {
  try {
    const lock = lockIdentity(home, note.worker)
    try {
      folder.writeNote({ ...note, worker: name })
    } finally {
      lock.release()
    }
    return true
  } catch (error) {
    if (isAppError(error)) return false
    throw error
  }
}

/** Ends what is left of their processes. @returns whether all is gone */
export async function endProcesses(leftovers: readonly Leftover[]): Promise<boolean> {
  const gone = await Promise.all(
    leftovers.map(async ({ note: { guard, process, attemptId } }) => {
      const mark = `LODELINE_ATTEMPT_ID=${attemptId}`
      // A guard that stands still ends nothing by itself.
      return (await proveGone(guard, { mark })) && (await proveGone(process, { mark }))
    }),
  )
  return gone.every((each) => each)
}

/** Tells the server how those ended whose worker could not; before it says that its former process is gone, which ends them as lost. */
export async function reportEnds(
  leftovers: readonly Leftover[],
  link: Link,
  options: LeftoverOptions,
  signal: AbortSignal,
): Promise<void> {
  for (const { folder, note } of leftovers) {
    const end = folder.readEnd()
    if (end === null) continue
    const report = () => asWorker(link, ({ attempts }) => attempts.report(note.attemptId, end))
    await untilTaken(report, signal).catch((error: unknown) => {
      if (signal.aborted) throw error
      options.log.warn('the server does not accept the end of an attempt', { error, attempt: note.attemptId })
    })
    folder.removeEnd()
  }
}

/** Whether some of them ended in a way that the server was not told. */
export const hasEnds = (leftovers: readonly Leftover[]): boolean =>
  leftovers.some(({ folder }) => folder.readEnd() !== null)

async function untilTaken(work: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  const backoff = new Backoff()
  for (;;) {
    if (signal.aborted) throw signal.reason
    try {
      await work()
      return
    } catch (error) {
      if (!isPassing(error)) throw error
      await pause(backoff.next(), signal)
    }
  }
}

/** Those that were put aside while the server worked on a restored database: it may work on the one that knows them again. */
function keptOf({ home, name }: LeftoverOptions, { epoch }: EpochLink): Leftover[] {
  return AttemptFolder.kept(home).flatMap((folder) => {
    const note = folder.readNote()
    return note !== null && note.worker === name && note.epoch === epoch ? { folder, note } : []
  })
}

/**
 * Brings their output to the server, one after another, and removes what is there. What began in another epoch of the database and is not
 * known now is put aside.
 */
export async function deliver(
  leftovers: readonly Leftover[],
  link: EpochLink,
  options: LeftoverOptions,
  signal: AbortSignal,
): Promise<void> {
  for (const { folder, note } of [...leftovers, ...keptOf(options, link)]) {
    if (signal.aborted) return
    try {
      new HookBridge(folder.hooks, folder.hooksDone, options.home).bring()
    } catch (error) {
      options.log.warn('the hook reports of an old run could not be recorded', { error, attempt: note.attemptId })
    }
    const spool = new Spool(folder.stream)
    const uploader = new SpoolUploader({
      spool,
      send: (offset, bytes) => asWorker(link, ({ attempts }) => attempts.stream(note.attemptId, { offset }, bytes)),
      onRefused: (error) =>
        options.log.warn('the server does not accept the output of an old run', { error, attempt: note.attemptId }),
    })
    const stop = () => void uploader.stop()
    signal.addEventListener('abort', stop, { once: true })
    const isTaken = await uploader.drain()
    signal.removeEventListener('abort', stop)
    spool.close()
    if (signal.aborted) return
    if (!isTaken && epochsDiffer(note.epoch, link.epoch)) tellKept(options.log, note.attemptId, folder.keep())
    else folder.remove()
  }
}

/** Says where the bytes of an attempt are that a restored database does not know. */
export function tellKept(log: WorkerOptions['log'], attempt: string, folder: string): void {
  log.warn(
    'the server works on a restored database that does not know this attempt; its output is kept, and sent if the server goes back to the former one',
    { attempt, folder },
  )
}
