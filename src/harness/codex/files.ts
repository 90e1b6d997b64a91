import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { JournalRef } from '../../domain/harness/harness'
import type { HarnessFiles } from '../../domain/harness/harness-files'
import { lookAt, plainPath } from '../../util/files/packed-file'
import { headOf, modifiedAt } from '../../util/files/quiet-looks'
import { classify, isDocumentName, threadOf } from './classify'

const FOLDERS = ['sessions', 'archived_sessions']

/** Where Codex keeps what it writes down, below `~/.codex` or whatever CODEX_HOME names; see `classify.ts`. */
export const codexFiles: HarnessFiles = {
  agent: 'codex',
  folders: FOLDERS,
  needsHead: true,
  classify: (path, head) => classify(path, head) ?? streamAt(path, head),

  /** The session's own file, and those of the threads that were launched in it: each is looked into, as no name tells them. */
  ofSession(root, sessionId) {
    const paths = rolloutsBelow(root)
    const own = paths.filter((path) => threadOf(path) === sessionId)
    const begun = Math.min(...own.map(bornAt))
    // A thread is never older than the one that launched it.
    const later = own.length === 0 ? [] : paths.filter((path) => modifiedAt(path) >= begun && !own.includes(path))
    return [...own, ...later.slice(-LOOKED_INTO).filter((path) => isOf(path, sessionId))]
  },

  changedSince(root, since) {
    return rolloutsBelow(root)
      .map((path) => ({ path, at: modifiedAt(path) }))
      .filter(({ at }) => at >= since)
  },
}

/** The file of a thread that the CLI can resume: not archived, and no document. `null` = there is none. If there are several, the last. */
export const rolloutOf = (root: string, thread: string): string | null =>
  rolloutsBelow(root, ['sessions']).findLast((path) => threadOf(path) === thread && !isDocumentName(path)) ?? null

/** Files that are opened to see whose they are. */
const LOOKED_INTO = 2_000
/** The output of a run: its first line answers our greeting. */
function streamAt(path: string, head?: Uint8Array): JournalRef | null {
  if (head === undefined || threadOf(path) !== null) return null
  const start = new TextDecoder().decode(head.subarray(0, 400))
  return /^\{"id":1,"result":\{"userAgent":"[^"]*","codexHome":/.test(start)
    ? { agent: 'codex', kind: 'stream', path, sessionId: null, subagentId: null }
    : null
}

/** Folders below `sessions`: year, month, day. */
const DEPTH = 3

/** By the names that they have when they are not packed. */
function rolloutsBelow(root: string, folders: readonly string[] = FOLDERS): string[] {
  const found = new Set<string>()
  const walk = (folder: string, depth: number): void => {
    for (const entry of entriesIn(folder)) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && depth > 0) walk(path, depth - 1)
      else if (entry.isFile() && threadOf(path) !== null) found.add(plainPath(path))
    }
  }
  for (const folder of folders) walk(join(root, folder), DEPTH)
  return [...found].sort()
}

function entriesIn(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

const HEAD_BYTES = 8 * 1_024

const isOf = (path: string, sessionId: string): boolean =>
  classify(path, headOf(path, HEAD_BYTES))?.sessionId === sessionId

/** Systems that do not keep the time of a file's making give its last change. */
function bornAt(path: string): number {
  const { birthtimeMs, mtimeMs } = lookAt(path) ?? { birthtimeMs: 0, mtimeMs: 0 }
  return birthtimeMs > 0 ? Math.min(birthtimeMs, mtimeMs) : 0
}
