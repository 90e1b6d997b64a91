import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { HarnessFiles } from '../../domain/harness/harness-files'
import { modifiedAt, namesIn } from '../../util/files/quiet-looks'
import { classify } from './classify'

const FOLDER = 'session-state'
/** Releases of 2025. */
const HISTORY = 'history-session-state'

/** Where Copilot CLI keeps what it writes down, below `~/.copilot` or whatever COPILOT_HOME names; see `classify.ts`. */
export const copilotFiles: HarnessFiles = {
  agent: 'copilot',
  folders: [FOLDER, HISTORY],
  needsHead: false,
  classify,

  ofSession(root, sessionId) {
    const old = historiesBelow(root).filter((path) => classify(path)?.sessionId === sessionId)
    return [...pathsOf(join(root, FOLDER), sessionId).filter((path) => existsSync(path)), ...old]
  },

  changedSince(root, since) {
    const folder = join(root, FOLDER)
    return namesIn(folder)
      .flatMap((name) => (name.endsWith('.jsonl') ? [join(folder, name)] : [join(folder, name, 'events.jsonl')]))
      .concat(historiesBelow(root))
      .filter((path) => classify(path) !== null)
      .map((path) => ({ path, at: modifiedAt(path) }))
      .filter(({ at }) => at > 0 && at >= since)
  },
}

const historiesBelow = (root: string): string[] => namesIn(join(root, HISTORY)).map((name) => join(root, HISTORY, name))

const pathsOf = (folder: string, sessionId: string): string[] => [
  join(folder, sessionId, 'events.jsonl'),
  join(folder, `${sessionId}.jsonl`),
]
