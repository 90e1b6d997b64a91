import { AppError } from '../../../domain/errors'
import { trackerKey } from '../../../domain/ids'
import type { IssueTx, NewTracker, Tracker } from '../../../domain/issue/issue-store'
import type { Store } from '../../../domain/store'
import { decodeFile } from '../../issue-file/file-text'
import { parseIssueFile } from '../../issue-file/parse'
import { newFileStyle } from '../../issue-file/style'
import { type Ingested, ingest } from '../ingest'
import { writeOut } from '../write-out'
import { type IssueFiles, type IssuePlace, isSameStamp, type PendingFile } from './issue-files'

/** No tracker: reads of a folder that has no issues yet find nothing. */
export const NO_TRACKER = trackerKey(-1)
/** Issues that belong to no folder. */
export const HOME_TRACKER = trackerKey(0)

export interface Synced {
  tracker: Tracker
  taken: Ingested | null
  notices: string[]
}

/** Whether a read may go on as things are: one look-up and one `stat`. */
export async function isInStep(store: Store, files: IssueFiles, place: IssuePlace): Promise<Tracker | null> {
  const tracker = await store.issues.trackerAt(files.hostName, place.path)
  const stamp = files.stamp(place.path)
  if (tracker === undefined || (stamp !== null && !isSameStamp(stamp, tracker.stamp))) return null
  return tracker
}

/**
 * Takes in what the file says, with its lock held.
 * @param isForced  reads it whole even if it seems to be as it was
 */
export async function catchUp(
  store: Store,
  files: IssueFiles,
  place: IssuePlace,
  by: string,
  isForced = false,
): Promise<Synced> {
  const tracker = await ensureTracker(store, files, place)
  const stamp = files.stamp(place.path)
  if (stamp === null || stamp.size === 0) {
    // A missing or empty file is not a statement about any issue: the next write creates it again.
    if (tracker.stamp !== null) await forgetFile(store, tracker)
    return { tracker: { ...tracker, stamp: null, hash: null }, taken: null, notices: [] }
  }
  if (isSameStamp(stamp, tracker.stamp) && !isForced) return { tracker, taken: null, notices: [] }
  const file = files.read(place.path)
  if (file === null) throw new AppError('unavailable', `The issue file ${place.path} is gone.`, { hint: 'Try again.' })
  const hash = files.hash(file.bytes)
  if (hash === tracker.hash && !isForced) {
    await store.write((tx) => tx.issues.updateTracker(tracker.key, { stamp: file.stamp }))
    return { tracker: { ...tracker, stamp: file.stamp }, taken: null, notices: [] }
  }
  const parsed = parseIssueFile(decodeFile(file.bytes), { isBeads: place.isBeads })
  const known = await store.write((tx) => tx.issues.knownLines(tracker.key))
  if (isSameStamp(stamp, tracker.formerStamp)) {
    // Our own last write never reached its place: what it was to say is still here.
    const lines = new Map(parsed.issues.map(({ issue, raw }) => [issue.id, raw]))
    const patch = { stamp: file.stamp, formerStamp: null, hash, style: parsed.style }
    await store.write((tx) => redo(tx.issues, tracker, known, lines, patch))
    return { tracker: { ...tracker, ...patch }, taken: null, notices: [] }
  }
  const taken = await ingest(store, tracker, parsed, known, { stamp: file.stamp, hash }, by)
  const notices = [...taken.notices]
  if (taken.absent.length > 0)
    notices.push(
      `${taken.absent.length === 1 ? '1 issue is' : `${taken.absent.length} issues are`} not in ${place.path} now (${taken.absent.slice(0, 3).join(', ')}${taken.absent.length > 3 ? ', …' : ''}). After a switch of branches that is as it should be: they come back with their branch. If they were lost, \`lode issue sync --restore\` writes them back.`,
    )
  const now = await store.issues.trackerAt(files.hostName, place.path)
  return { tracker: now ?? tracker, taken, notices }
}

export async function ensureTracker(store: Store, files: IssueFiles, place: IssuePlace): Promise<Tracker> {
  const found = await store.issues.trackerAt(files.hostName, place.path)
  if (found !== undefined) return found
  const made: NewTracker = {
    hostName: files.hostName,
    path: place.path,
    prefix: 'ld',
    style: newFileStyle(place.isBeads),
    stamp: null,
    formerStamp: null,
    hash: null,
    statuses: [],
  }
  const key = await store.write(async (tx) => {
    const other = await tx.issues.trackerAt(files.hostName, place.path)
    return other?.key ?? (await tx.issues.insertTracker(made))
  })
  return { ...made, key }
}

function forgetFile(store: Store, tracker: Tracker): Promise<void> {
  return store.write(async (tx) => {
    await tx.issues.setAllDirty(tracker.key)
    await tx.issues.updateTracker(tracker.key, { stamp: null, hash: null, formerStamp: null })
  })
}

async function redo(
  issues: IssueTx,
  tracker: Tracker,
  known: Awaited<ReturnType<IssueTx['knownLines']>>,
  lines: ReadonlyMap<string, string>,
  patch: Partial<NewTracker>,
): Promise<void> {
  for (const line of known) {
    const raw = lines.get(line.id) ?? null
    if (raw === line.raw || line.isAbsent) continue
    const issue = await issues.find(tracker.key, line.id)
    if (issue !== undefined) await issues.markUnwritten(line.key, raw)
  }
  await issues.updateTracker(tracker.key, patch)
}

/** Writes what the file does not say yet. @returns ids of the issues whose lines were written */
export async function flush(
  store: Store,
  files: IssueFiles,
  synced: Tracker,
  isBeads: boolean,
  extraLines: readonly string[] = [],
): Promise<string[]> {
  let pending: PendingFile | undefined
  try {
    const ids = await store.write(async (tx) => {
      pending?.discard()
      pending = undefined
      const out = await writeOut(tx.issues, files, synced, isBeads, extraLines)
      pending = out?.pending
      return out?.written.map(({ id }) => id as string) ?? []
    })
    await pending?.commit()
    return ids
  } catch (thrown) {
    pending?.discard()
    throw thrown
  }
}
