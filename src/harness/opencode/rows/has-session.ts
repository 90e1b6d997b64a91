import { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Whether the CLI has this session. A database that can't be read now may have it: the CLI itself says so when it is run. */
export function hasSession(root: string, session: string): boolean {
  const path = join(root, 'opencode.db')
  if (!existsSync(path)) return false
  try {
    const db = new Database(path, { readonly: true })
    try {
      return db.query('SELECT 1 FROM session WHERE id = ?').get(session) !== null
    } finally {
      db.close()
    }
  } catch {
    return true
  }
}
