import { AppError } from '../../../domain/errors'
import type { ParsedIssueFile } from '../../../domain/issue/issue-file'
import type { FileStamp, KnownLine, Tracker } from '../../../domain/issue/issue-store'
import type { Store } from '../../../domain/store'
import { encodeFile } from '../../issue-file/file-text'
import { parseIssueFile } from '../../issue-file/parse'
import { type Ingested, ingest } from '../ingest'
import type { IssueFiles, IssuePlace } from '../trackers/issue-files'
import { ensureTracker } from '../trackers/tracker-sync'
import type { IssueKeeper } from './issue-keeper'

/** In place of an inode: what is known came from the keeper, not from the file. */
const KEEPER = 'keeper'

export interface ReadKept {
  tracker: Tracker
  taken: Ingested
  parsed: ParsedIssueFile
  notices: string[]
}

/**
 * Takes in what the keeper says of every issue, with the file's lock held.
 * @param isForced  asks also where it failed just now, and believes that there are no issues any more
 * @throws `unavailable` it did not say; nothing was changed
 */
export async function readKept(
  store: Store,
  files: IssueFiles,
  place: IssuePlace,
  keeper: IssueKeeper,
  by: string,
  isForced = false,
): Promise<ReadKept> {
  const text = await keeper.read(isForced)
  const parsed = parseKept(text)
  const tracker = await ensureTracker(store, files, place)
  const known = await store.write((tx) => tx.issues.knownLines(tracker.key))
  const present = known.filter(({ raw, isAbsent, isDeleted }) => raw !== null && !isAbsent && !isDeleted)
  if (parsed.issues.length === 0 && present.length > 0 && !isForced)
    throw new AppError('unavailable', `bd reports no issues, but there were ${present.length} before.`, {
      hint: 'To accept this, run `lode issue sync`.',
    })
  return await ingestKept(store, files, place, tracker, { text, parsed, known }, by)
}

export function parseKept(text: string): ParsedIssueFile {
  const parsed = parseIssueFile(text, { isBeads: true })
  const [bad] = parsed.bad
  if (bad !== undefined)
    throw new AppError('unavailable', `bd returned a line that is not an issue: line ${bad.line}, ${bad.reason}.`)
  return parsed
}

export async function ingestKept(
  store: Store,
  files: IssueFiles,
  place: IssuePlace,
  tracker: Tracker,
  { text, parsed, known }: { text: string; parsed: ParsedIssueFile; known: readonly KnownLine[] },
  by: string,
): Promise<ReadKept> {
  const notices: string[] = []
  const unwritten = known.filter(({ isDirty }) => isDirty)
  if (unwritten.length > 0)
    notices.push(
      `${unwritten.length} issues had changes that were never written to ${place.path} (${unwritten[0]?.id}, …): the data in bd replaces them`,
    )
  const bytes = encodeFile(text)
  const file = { stamp: keeperStamp(bytes.length), hash: files.hash(bytes) }
  const settled = known.map((line) => ({ ...line, isDirty: false, ...(line.isDirty && { raw: null }) }))
  const taken = await ingest(store, tracker, parsed, settled, file, by)
  const now = await store.issues.trackerAt(files.hostName, place.path)
  return { tracker: now ?? tracker, taken, parsed, notices: [...notices, ...taken.notices] }
}

/** When it was read stands where a file has its time, so that a file that was written since is known to be newer. */
const keeperStamp = (size: number): FileStamp => ({
  size,
  modified: String(BigInt(Date.now()) * 1_000_000n),
  inode: KEEPER,
})

/** When the keeper was last read, milliseconds; `null` = what is known came from the file. */
export const readAt = ({ stamp }: Tracker): number | null =>
  stamp?.inode === KEEPER ? Number(BigInt(stamp.modified) / 1_000_000n) : null

/** Whether the export says more than the keeper did when it was last read: then it is the better of the two while that does not answer. */
export function isExportNewer(tracker: Tracker, exported: FileStamp | null): boolean {
  if (exported === null) return false
  return tracker.stamp?.inode !== KEEPER || BigInt(exported.modified) > BigInt(tracker.stamp.modified)
}
