import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { HarnessFiles } from '../../domain/harness/harness-files'
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
        .filter((path) => classify(path, headOf(path))?.sessionId === sessionId),
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

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

const HEAD_BYTES = 4 * 1_024

function headOf(path: string): Uint8Array {
  try {
    const fd = openSync(path, 'r')
    try {
      const head = Buffer.alloc(HEAD_BYTES)
      return head.subarray(0, readSync(fd, head, 0, HEAD_BYTES, 0))
    } finally {
      closeSync(fd)
    }
  } catch {
    return new Uint8Array()
  }
}

function modifiedAt(path: string): number {
  try {
    return statSync(path).mtimeMs
  } catch {
    return 0
  }
}
