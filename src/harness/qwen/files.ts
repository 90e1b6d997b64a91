import { join } from 'node:path'
import type { HarnessFiles } from '../../domain/harness/harness-files'
import { modifiedAt, namesIn } from '../../util/files/quiet-looks'
import { classify } from './classify'

const FOLDER = 'projects'

/** Where Qwen Code keeps its conversations, below `~/.qwen`; see `classify.ts`. */
export const qwenFiles: HarnessFiles = {
  agent: 'qwen',
  folders: [FOLDER],
  needsHead: false,
  classify: (path) => classify(path),

  ofSession(root, sessionId) {
    return projectsBelow(root)
      .flatMap((project) => [...chatsOf(project), ...filesIn(join(project, 'subagents', sessionId))])
      .filter((path) => classify(path)?.sessionId === sessionId)
  },

  changedSince(root, since) {
    return projectsBelow(root)
      .flatMap((project) => [
        ...chatsOf(project),
        ...filesIn(join(project, 'subagents')).flatMap((folder) => filesIn(folder)),
      ])
      .filter((path) => path.endsWith('.jsonl') && classify(path) !== null)
      .map((path) => ({ path, at: modifiedAt(path) }))
      .filter(({ at }) => at >= since)
  },
}

const projectsBelow = (root: string): string[] => filesIn(join(root, FOLDER))

const chatsOf = (project: string): string[] => [
  ...filesIn(join(project, 'chats')),
  ...filesIn(join(project, 'chats', 'archive')),
]

const filesIn = (folder: string): string[] => namesIn(folder).map((name) => join(folder, name))
