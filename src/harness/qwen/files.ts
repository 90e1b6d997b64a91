import { join } from 'node:path'
import type { JournalRef } from '../../domain/harness/harness'
import type { HarnessFiles } from '../../domain/harness/harness-files'
import { headOf, modifiedAt, namesIn } from '../../util/files/quiet-looks'
import { classify } from './classify'

const FOLDER = 'projects'
/** Releases of 2025. */
const OLD_FOLDER = 'tmp'

/** Where Qwen Code keeps its conversations, below `~/.qwen`; see `classify.ts`. */
export const qwenFiles: HarnessFiles = {
  agent: 'qwen',
  folders: [FOLDER, OLD_FOLDER],
  needsHead: true,
  classify,

  ofSession(root, sessionId) {
    return projectsBelow(root)
      .flatMap((project) => [...chatsOf(project), ...filesIn(join(project, 'subagents', sessionId))])
      .filter((path) => !/[/\\]session-/.test(path) || path.includes(`-${sessionId.slice(0, 8)}.`))
      .filter((path) => recognised(path)?.sessionId === sessionId)
  },

  changedSince(root, since) {
    return projectsBelow(root)
      .flatMap((project) => [
        ...chatsOf(project),
        ...filesIn(join(project, 'subagents')).flatMap((folder) => filesIn(folder)),
      ])
      .filter((path) => classify(path)?.kind !== 'subagent_meta' && recognised(path) !== null)
      .map((path) => ({ path, at: modifiedAt(path) }))
      .filter(({ at }) => at >= since)
  },
}

const projectsBelow = (root: string): string[] => [...filesIn(join(root, FOLDER)), ...filesIn(join(root, OLD_FOLDER))]

const HEAD_BYTES = 64 * 1_024

/** A document is looked into; every other file's place says all. */
function recognised(path: string): JournalRef | null {
  const placed = classify(path)
  return placed === null || placed.sessionId !== null ? placed : classify(path, headOf(path, HEAD_BYTES))
}

const chatsOf = (project: string): string[] => [
  ...filesIn(join(project, 'chats')),
  ...filesIn(join(project, 'chats', 'archive')),
]

const filesIn = (folder: string): string[] => namesIn(folder).map((name) => join(folder, name))
