import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { HarnessFiles } from '../../domain/harness/harness-files'
import { classify } from './classify'

/** The journals of rows that Lodeline keeps of the CLI's databases. Their folder stands in the place of a configuration folder. */
export const opencodeFiles: HarnessFiles = {
  agent: 'opencode',
  folders: ['.'],
  needsHead: false,
  classify,

  ofSession: (root, sessionId) => journalsBelow(root).filter((path) => classify(path)?.sessionId === sessionId),

  changedSince: (root, since) =>
    journalsBelow(root)
      .map((path) => ({ path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
      .filter(({ at }) => at >= since),
}

function journalsBelow(root: string): string[] {
  try {
    return readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => classify(path) !== null)
      .sort()
  } catch {
    return []
  }
}
