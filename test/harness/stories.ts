/** What each agent CLI wrote, for suites over all of them: a CLI of the registry has files here, or the suites fail. */
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import type { AgentHarness } from '../../src/domain/harness/agent-harness'
import type { Harness, JournalRef } from '../../src/domain/harness/harness'
import { folderIn, journalsBelow, journalsOf, OPENCODE_FIXTURES, OpencodeRows, ROWS } from './opencode/database'

const FIXTURES = join(import.meta.dir, '../fixtures')
/** Folders of fixtures of which only a part is what the CLI wrote to its own files. */
const PARTS: Readonly<Record<string, string>> = { 'claude-code': 'claude-code/transcripts' }

/** Copies all recorded files of an agent CLI below a folder. @throws Error when there are none */
export async function layOut({ name, database }: AgentHarness, reader: Harness, root: string): Promise<JournalRef[]> {
  const refs = database === undefined ? copyFiles(name, reader, join(root, name)) : await writeRows(root)
  if (refs.length === 0) throw new Error(`no file of ${name} below ${FIXTURES}`)
  return refs
}

function copyFiles(name: string, reader: Harness, folder: string): JournalRef[] {
  cpSync(join(FIXTURES, PARTS[name] ?? name), folder, { recursive: true })
  return [...new Glob('**/*.json{l,}').scanSync(folder)].sort().flatMap((file) => {
    const path = join(folder, file)
    return reader.classify(path, readFileSync(path).subarray(0, 65_536)) ?? []
  })
}

/** Rows of opencode, and a session that it exported, as journals of ours. */
async function writeRows(root: string): Promise<JournalRef[]> {
  using rows = new OpencodeRows(join(root, 'data'))
  rows.add(ROWS)
  const folders = [
    await journalsOf(rows.root, folderIn(root, 'rows')),
    await journalsOf(join(OPENCODE_FIXTURES, 'export.json'), folderIn(root, 'exported')),
  ]
  return folders.flatMap((folder) => journalsBelow(folder).map(({ ref }) => ref))
}
