import { AppError } from '../../domain/errors'
import type { IssueKey } from '../../domain/ids'
import type { FileStyle } from '../../domain/issue/issue-file'
import type { IssueTx, StoredIssue, Tracker } from '../../domain/issue/issue-store'
import { encodeIssue, encodeTombstone } from '../issue-file/encode'
import { newFileStyle } from '../issue-file/style'
import { onlyIssue } from './issue-unit'
import { type LinePatch, patchLines } from './patch-lines'
import { type IssueFiles, isSameStamp, type PendingFile } from './trackers/issue-files'

/**
 * Begins to write what the file does not say yet, and notes in the same unit how the file will be then: once both are durable the
 * new file is put in its place. A crash in between leaves the former file, which is known by its stamp, and the write is repeated.
 *
 * @param extraLines  lines that are no issues, to the end
 * @returns `null` = the file says everything
 */
export async function writeOut(
  issues: IssueTx,
  files: IssueFiles,
  tracker: Tracker,
  isBeads: boolean,
  extraLines: readonly string[] = [],
): Promise<{ pending: PendingFile; written: StoredIssue[] } | null> {
  if (tracker.path === null) return null
  const dirty = await issues.dirty(tracker.key)
  if (dirty.length === 0 && extraLines.length === 0) return null
  const file = files.read(tracker.path)
  if (tracker.stamp !== null && !isSameStamp(file?.stamp ?? null, tracker.stamp)) throw changedMeanwhile(tracker.path)
  const style = tracker.style ?? newFileStyle(isBeads)
  const bytes = file?.bytes ?? new Uint8Array()
  const lines = dirty.map((issue) => ({ issue, raw: lineOf(issue, style) }))
  const patches: LinePatch[] = lines.flatMap(({ issue, raw }) =>
    // Deleted before the file ever knew of it.
    issue.isDeleted && issue.raw === null ? [] : [{ id: issue.id, old: issue.raw, raw, issue }],
  )
  const kept = bytes.length === 0 ? await keptLines(issues, tracker) : { head: [], tail: [] }
  const known = [...kept.tail, ...extraLines].map((raw): LinePatch => ({ id: '', old: null, raw, issue: null }))
  const parts = patchLines(bytes, [...patches, ...known], style)
  const pending = files.prepare(tracker.path, [...kept.head.map((raw) => Buffer.from(`${raw}\n`)), ...parts])
  const settled = lines.map(({ issue, raw }): { key: IssueKey; raw: string | null } => ({
    key: issue.key,
    raw: issue.isDeleted && issue.raw === null ? null : raw,
  }))
  await issues.settle(settled)
  await issues.updateTracker(tracker.key, {
    stamp: pending.stamp,
    formerStamp: file?.stamp ?? null,
    // To work it out would cost more than it saves: the stamp tells our own file, and one that was only touched is read again.
    hash: null,
    style,
  })
  return { pending, written: dirty }
}

/** Lines other than issues, for a file that is created again: headers to its beginning, memories and graves that nobody else writes. */
async function keptLines(issues: IssueTx, tracker: Tracker): Promise<{ head: string[]; tail: string[] }> {
  const kept = await issues.keptLines(tracker.key)
  if (kept.length === 0) return { head: [], tail: [] }
  const known = new Set<string | null>((await issues.knownLines(tracker.key)).map(({ id }) => id))
  const rawOf = (lines: typeof kept) => lines.map(({ raw }) => raw)
  return {
    head: rawOf(kept.filter(({ kind }) => kind === 'header')),
    tail: rawOf(kept.filter(({ kind, id }) => kind === 'other' || (kind === 'tombstone' && !known.has(id)))),
  }
}

/**
 * What the file is to say of an issue. How many issues depend on it is left as it was written: a new edge stands in the line of the
 * issue that needs, the line at its other end keeps its bytes, and bd counts again whenever it writes.
 */
export function lineOf(issue: StoredIssue, style: FileStyle): string {
  if (!issue.isDeleted) return encodeIssue(onlyIssue(issue), style, issue.raw)
  const { deleted_at: at, deleted_by: by, delete_reason: reason } = issue.extra
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  return encodeTombstone(
    onlyIssue(issue),
    { at: text(at) || issue.updatedAt, by: text(by), reason: text(reason) },
    style,
    issue.raw,
  )
}

/** Another program wrote the file between our look at it and our write: doing it all again is right. */
export const changedMeanwhile = (path: string): AppError =>
  new AppError('unavailable', `Another program changed ${path} in the meantime.`, {
    hint: 'Try again.',
    details: { isRaced: true },
  })
