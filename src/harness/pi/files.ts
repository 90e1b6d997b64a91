import { type Dirent, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { HarnessFiles } from '../../domain/harness/harness-files'
import { modifiedAt } from '../../util/files/quiet-looks'
import { classify, sessionOf } from './classify'

/** Where Pi keeps its conversations, below `~/.pi/agent` or whatever PI_CODING_AGENT_DIR names; see `classify.ts`. */
export const piFiles: HarnessFiles = {
  agent: 'pi',
  folders: ['sessions'],
  needsHead: false,
  classify,

  /** One file, unless a person copied it. */
  ofSession: (root, sessionId) => sessionsBelow(root).filter((path) => sessionOf(path) === sessionId),

  changedSince(root, since) {
    return sessionsBelow(root)
      .map((path) => ({ path, at: modifiedAt(path) }))
      .filter(({ at }) => at >= since)
  },
}

function sessionsBelow(root: string): string[] {
  const top = join(root, 'sessions')
  return entriesIn(top)
    .flatMap((entry) => (entry.isDirectory() ? filesIn(join(top, entry.name)) : []))
    .concat(filesIn(top))
    .filter((path) => sessionOf(path) !== null)
    .sort()
}

const filesIn = (folder: string): string[] =>
  entriesIn(folder).flatMap((entry) => (entry.isFile() ? [join(folder, entry.name)] : []))

function entriesIn(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}
