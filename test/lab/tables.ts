import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { SQLITE_TEMPLATE_VARIABLE } from '../postgres'

/**
 * Puts a database of SQLite with all tables and no row into Lodeline's folder, if it has no database. Makes the folder. A server that finds
 * one starts with half of the work of one that makes the tables. A test file that runs by itself gets none: whatever opens the database makes
 * the tables then.
 */
export function copyTables(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const template = process.env[SQLITE_TEMPLATE_VARIABLE]
  const path = join(folder, 'lodeline.db')
  if (template && !existsSync(path)) copyFileSync(template, path)
}
