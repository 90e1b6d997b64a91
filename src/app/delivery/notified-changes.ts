/**
 * Up to where sessions were told of their issues' changes, as empty files of this installation whose names say it: hooks tell, and
 * hooks write no database. Loaded by hooks: node:fs and node:path only.
 */
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { IssueKey, SessionId } from '../../domain/ids'
import type { NotifiedChanges } from '../../domain/recall/recall'
import { claimFile } from '../../util/files/claim-file'

/** A session that was told nothing for so long is told the newest changes again, should it go on. */
const MARK_KEPT_MS = 90 * 24 * 3_600_000
const SWEEP_EVERY_MS = 24 * 3_600_000

/** @param home  Lodeline's folder */
export function notifiedChanges(home: string): NotifiedChanges {
  const all = join(home, 'told-changes')
  // Ids come from outside and could be paths.
  const folderOf = (session: SessionId): string => join(all, Bun.hash(session).toString(36))
  return {
    upTo: (session, issue) => newest(folderOf(session), issue),

    take(session, issue, upTo) {
      const folder = folderOf(session)
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        // Of several that tell the same, one does.
        if (!claimFile(join(folder, `${issue}.${upTo}`), '')) return false
      } catch {
        // A disk that takes nothing: told twice is better than never.
        return true
      }
      removeOlder(folder, issue, upTo)
      sweep(all)
      return true
    },
  }
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

/** What the file's name says of this issue; `null` = it is another's. */
function markOf(entry: string, issue: IssueKey): number | null {
  if (!entry.startsWith(`${issue}.`)) return null
  const digits = entry.slice(`${issue}.`.length)
  return /^\d{1,15}$/.test(digits) ? Number(digits) : null
}

/** Removes marks of long ago, once a day. */
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
