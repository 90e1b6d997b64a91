import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { HeldSession, PresenceLook } from '../../../domain/harness/harness-live'
import { openFilesOf, programsNamed, wordsOf } from '../../../util/process/programs'

const DATABASE = 'opencode.db'

/**
 * A process has the database open and tells the session with which it was started, if any: `-s ID`. One that began a session, or went over
 * to another one, does not tell. Seen with 1.18.
 */
export const opencodePresence: PresenceLook = {
  by: 'look',
  folder: '',
  isWatched: false,
  look(root) {
    if (process.platform !== 'linux') return null
    const database = realOf(join(root, DATABASE))
    return programsNamed('opencode').flatMap((pid): HeldSession[] => {
      const sessionId = sessionIn(wordsOf(pid))
      return sessionId !== null && openFilesOf(pid).includes(database) ? [{ pid, sessionId }] : []
    })
  },
}

/** A copy has another id. */
export function sessionIn(words: readonly string[]): string | null {
  if (words.includes('--fork')) return null
  const text = words.flatMap((word, i) => {
    if (word === '-s' || word === '--session') return [words[i + 1] ?? '']
    return /^(?:-s=?|--session=)(.+)$/.exec(word)?.[1] ?? []
  })[0]
  return text !== undefined && /^ses_[A-Za-z0-9]{1,100}$/.test(text) ? text : null
}

function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
