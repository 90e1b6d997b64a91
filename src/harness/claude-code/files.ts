import { join } from 'node:path'
import type { HarnessFiles } from '../../domain/harness/harness-files'
import { modifiedAt, namesIn } from '../../util/files/quiet-looks'
import { classify } from './classify'

/** Where Claude Code keeps what it writes down, below `~/.claude` or whatever CLAUDE_CONFIG_DIR names; see `classify.ts`. */
export const claudeCodeFiles: HarnessFiles = {
  agent: 'claude-code',
  folders: ['projects', 'tasks', 'todos'],
  needsHead: false,
  classify,

  /** The session's own file and its sub-agents', in whichever project; meta files before what they describe. */
  ofSession(root, sessionId) {
    return projectsIn(root).flatMap((folder) => {
      const subagents = join(folder, sessionId, 'subagents')
      const names = namesIn(subagents).sort((a, b) => Number(b.endsWith('.json')) - Number(a.endsWith('.json')))
      return [join(folder, `${sessionId}.jsonl`), ...names.map((name) => join(subagents, name))]
    })
  },

  changedSince(root, since) {
    return projectsIn(root)
      .filter((folder) => modifiedAt(folder) >= since)
      .flatMap((folder) => namesIn(folder).map((name) => join(folder, name)))
      .filter((path) => path.endsWith('.jsonl'))
      .map((path) => ({ path, at: modifiedAt(path) }))
      .filter(({ at }) => at >= since)
  },
}

const projectsIn = (root: string): string[] =>
  namesIn(join(root, 'projects')).map((name) => join(root, 'projects', name))
