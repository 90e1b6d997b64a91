import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { importFiles } from '../../src/app/files/import-files'
import { createRecordEngine, type RecordEngine } from '../../src/app/threads/record-engine'
import { sessionId } from '../../src/domain/ids'
import { openStore } from '../../src/store/open'
import type { KeptStore } from '../../src/store/sql/kept-store'
import { copyTables } from '../lab/tables'
import { HOST } from './recording'

const FIXTURE = join(import.meta.dir, '../fixtures/claude-code/transcripts/2.1.328/subagents')

let folder: string
let store: KeptStore
let engine: RecordEngine
beforeAll(async () => {
  folder = mkdtempSync('/tmp/ld-')
  copyTables(folder)
  store = await openStore({ path: join(folder, 'lodeline.db'), mode: 'read-write', migrate: true })
  engine = createRecordEngine(store, HOST)
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

test('a transcript and its sub-agents imported under other names are the conversation that their lines name', async () => {
  const copy = join(folder, 'backup')
  cpSync(FIXTURE, copy, { recursive: true })
  const id =
    readdirSync(copy)
      .find((name) => name.endsWith('.jsonl'))
      ?.slice(0, -'.jsonl'.length) ?? ''
  renameSync(join(copy, `${id}.jsonl`), join(copy, 'monday.jsonl'))
  renameSync(join(copy, id), join(copy, 'monday'))
  expect(await importFiles([copy], engine, 8)).toMatchObject({ sessions: 1, problems: [] })
  const session = await store.sessions.find(sessionId(id))
  expect(session?.counts).toMatchObject({ subagents: 4, toolCalls: 7 })
  const subagents = await store.subagents.list(sessionId(id))
  expect(subagents.map((one) => `${one.toolUseId} ${one.depth}`).sort()).toEqual([
    'toolu_000001 1',
    'toolu_000003 2',
    'toolu_000009 1',
    'toolu_000010 1',
  ])
})
