import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OpencodeDatabase } from './read-database'
import { headOfLine } from './row-line'

/**
 * Whether a recorded journal has every row of a session as the database has it now. While a session changes, its last messages are taken
 * over first: a journal that is there may lack older ones.
 *
 * @param session  one of a person, not of a sub-agent
 */
export function isRecorded(root: string, session: string, journal: Uint8Array): boolean {
  const path = join(root, 'opencode.db')
  if (!existsSync(path)) return true
  try {
    const db = OpencodeDatabase.open(path)
    // What is no database of 1.x is not recorded at all.
    if (typeof db === 'string') return true
    try {
      return db.rowsOf(session, versionsIn(journal), null).next().done === true
    } finally {
      db.close()
    }
  } catch {
    // It is busy: what is recorded decides.
    return true
  }
}

function versionsIn(journal: Uint8Array): Map<string, string> {
  const versions = new Map<string, string>()
  for (const line of new TextDecoder().decode(journal).split('\n')) {
    const head = headOfLine(line)
    if (head !== null) versions.set(head.key, head.version)
  }
  return versions
}
