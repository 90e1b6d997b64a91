/** Journals that Lodeline makes of the rows of agent CLIs' databases: `rows/<agent>/<database>/`. */
import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { RowSource } from '../../collector/row-follower'
import type { AgentHarness } from '../../domain/harness/agent-harness'
import { FORGOTTEN_JOURNAL } from '../../domain/harness/harness-database'
import { sha256Hex } from '../../util/crypto'
import { isWithin } from '../../util/files/is-within'

/** @param source  a configuration folder, or a database that a person named */
export const rowsFolder = (home: string, agent: string, source: string): string =>
  join(home, 'rows', agent, sha256Hex(resolve(source)).slice(0, 16))

/** Where the journals of a CLI's conversations are: in its configuration folders, or in ours where it keeps them in a database. */
export const journalRoots = (home: string, harness: AgentHarness, roots: readonly string[]): string[] =>
  harness.database === undefined ? [...roots] : roots.map((root) => rowsFolder(home, harness.name, root))

/** The databases of a CLI, with our folder for each. */
export async function rowSources(
  home: string,
  { name, database }: AgentHarness,
  roots: readonly string[],
): Promise<RowSource[]> {
  if (database === undefined || roots.length === 0) return []
  const opener = await database()
  return roots.map((source) => ({
    name: source,
    journals: opener.open(source, rowsFolder(home, name, source)),
  }))
}

/**
 * Empties the journals of a forgotten session. Each keeps one line, by which whoever makes it knows that it must not be made again.
 *
 * @throws the system's error
 */
export function forgetRows(home: string, paths: readonly string[]): void {
  const rows = join(home, 'rows')
  for (const path of paths) if (isWithin(path, rows) && existsSync(path)) writeFileSync(path, FORGOTTEN_JOURNAL)
}
