import { join } from 'node:path'
import type { HarnessFiles } from '../../domain/harness/harness-files'
import { headOf, modifiedAt, namesIn } from '../../util/files/quiet-looks'
import { classify } from './classify'

const FOLDER = 'tmp'

/** Where Gemini CLI keeps its conversations, below `~/.gemini`; see `classify.ts`. */
export const geminiFiles: HarnessFiles = {
  agent: 'gemini',
  folders: [FOLDER],
  needsHead: true,
  classify,

  ofSession(root, sessionId) {
    const short = sessionId.slice(0, 8)
    return chatsBelow(root).flatMap((chats) => [
      ...namesIn(chats)
        .filter((name) => name.startsWith('session-') && name.includes(`-${short}.json`))
        .map((name) => join(chats, name))
        .filter((path) => classify(path, headOf(path, HEAD_BYTES))?.sessionId === sessionId),
      ...subagentsIn(join(chats, sessionId)),
    ])
  },

  changedSince(root, since) {
    return chatsBelow(root)
      .flatMap((chats) =>
        namesIn(chats).flatMap((name) => {
          const path = join(chats, name)
          return classify(path) === null ? subagentsIn(path) : [path]
        }),
      )
      .map((path) => ({ path, at: modifiedAt(path) }))
      .filter(({ at }) => at >= since)
  },
}

const chatsBelow = (root: string): string[] =>
  namesIn(join(root, FOLDER)).map((project) => join(root, FOLDER, project, 'chats'))

const subagentsIn = (folder: string): string[] =>
  namesIn(folder)
    .map((name) => join(folder, name))
    .filter((path) => classify(path) !== null)

const HEAD_BYTES = 4 * 1_024
