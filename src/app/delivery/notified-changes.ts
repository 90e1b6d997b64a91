/**
 * Records up to which change sessions were notified of their issues' changes, in the names of empty files: hooks notify them, and
 * hooks write no database. Where the database is PostgreSQL, hooks ask a server, and the marks are rows (`stored-notified.ts`). Loaded by
 * hooks: node:fs and node:path only.
 */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { IssueKey, SessionId } from '../../domain/ids'
import type { NotifiedChanges } from '../../domain/recall/recall'
import { DAY_MS } from '../../domain/time-units'
import { claimFile } from '../../util/files/claim-file'

/** A session without a notice for this long gets the newest changes again if it continues. */
export const MARK_KEPT_MS = 90 * DAY_MS
/** Old marks are looked for this often. */
export const SWEEP_EVERY_MS = DAY_MS

/** @param home  Lodeline's folder */
export function notifiedChanges(home: string): NotifiedFiles {
  const all = join(home, 'told-changes')
  // Ids come from outside and could be paths.
  const folderOf = (session: SessionId): string => join(all, Bun.hash(session).toString(36))
  return {
    upTo: (session, issue) => newest(folderOf(session), issue),

    take(session, issue, upTo) {
      const folder = folderOf(session)
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        // If several processes try to notify at once, one does.
        if (!claimFile(join(folder, `${issue}.${upTo}`), '')) return false
      } catch {
        // The disk can't be written: notifying twice is better than never.
        return true
      }
      removeOlder(folder, issue, upTo)
      sweep(all)
      return true
    },
  }
}

export interface NotifiedFiles extends NotifiedChanges {
  upTo(session: SessionId, issue: IssueKey): number | null
  take(session: SessionId, issue: IssueKey, upTo: number): boolean
}

function newest(folder: string, issue: IssueKey): number | null {
  let mark: number | null = null
  for (const entry of entriesOf(folder)) {
    const upTo = markOf(entry, issue)
    if (upTo !== null && upTo > (mark ?? -1)) mark = upTo
  }
  return mark
}

function removeOlder(folder: string, issue: IssueKey, than: number): void {
  for (const entry of entriesOf(folder)) {
    const upTo = markOf(entry, issue)
    if (upTo !== null && upTo < than) rmSync(join(folder, entry), { force: true })
  }
}

/** The mark for this issue in a file's name; `null` = the file belongs to another issue. */
function markOf(entry: string, issue: IssueKey): number | null {
  if (!entry.startsWith(`${issue}.`)) return null
  const digits = entry.slice(`${issue}.`.length)
  return /^\d{1,15}$/.test(digits) ? Number(digits) : null
}

/** Removes old marks, once a day. */
function sweep(all: string): void {
  const note = join(all, 'swept')
  try {
    const last = statSync(note, { throwIfNoEntry: false })
    if (last !== undefined && Date.now() - last.mtimeMs < SWEEP_EVERY_MS) return
    writeFileSync(note, '', { mode: 0o600 })
    for (const entry of entriesOf(all)) {
      const folder = join(all, entry)
      if (entry !== 'swept' && Date.now() - statSync(folder).mtimeMs > MARK_KEPT_MS)
        rmSync(folder, { recursive: true, force: true })
    }
  } catch {
    // Another process sweeps.
  }
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
