/** The rows of opencode in the record: what it tells, and forgotten, on both databases. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { importFiles } from '../../src/app/files/import-files'
import { createRecordEngine } from '../../src/app/threads/record-engine'
import { FORGOTTEN_JOURNAL } from '../../src/domain/harness/harness-database'
import { sessionId, subagentId, toolUseId } from '../../src/domain/ids'
import {
  type Journal,
  journalsBelow,
  journalsOfStory,
  OPENCODE_FIXTURES,
  OpencodeRows,
  rowsOf,
  STORIES,
  sessionOf,
} from '../harness/opencode/database'
import { onEachDatabase } from '../store-contract/databases'
import { HOST, recorderOn } from './recording'

let home: string
let journals: Journal[]

beforeAll(async () => {
  home = mkdtempSync('/tmp/ld-')
  journals = (await Promise.all(STORIES.map((story) => journalsOfStory(home, story)))).flat()
})

afterAll(() => rmSync(home, { recursive: true, force: true }))

onEachDatabase((database) => {
  beforeAll(async () => {
    for (const { ref } of journals.toReversed()) await recorderOn(database.store).recordFile(ref)
  })

  test('a session tells what it did, with the words of every agent CLI', async () => {
    const found = await database.store.sessions.find(sessionId(sessionOf('plan')))
    expect(found).toMatchObject({
      ...{ agent: 'opencode', title: 'Scripted title', model: 'scripted-model', agentVersion: '1.18.33' },
      ...{ forkedFrom: null, counts: { toolCalls: 4 }, usage: { inputTokens: 500, outputTokens: 50 } },
    })
    const fork = await database.store.sessions.find(sessionId(sessionOf('fork')))
    expect(fork).toMatchObject({ forkedFrom: sessionOf('sub'), usage: { outputTokens: 12 } })
    const todos = await database.store.todos.list({ sessionId: sessionId(sessionOf('plan')) })
    expect(todos.map(({ content, status }) => [content, status])).toContainEqual(['Fix the bug', 'in_progress'])
    expect(await database.store.sessions.find(sessionId(sessionOf('compact')))).toMatchObject({
      counts: { compactions: 1 },
    })
  })

  test('a sub-agent stands below the call that launched it, with one run, whose result was read', async () => {
    const session = sessionId(sessionOf('sub'))
    const nodes = await database.store.subagents.list(session)
    expect(nodes.map(({ toolUseId: call, status, depth }) => [String(call), status, depth]).toSorted()).toEqual([
      ['call_0008_0', 'completed', 1],
      ['call_0008_1', 'completed', 1],
    ])
    const runs = await database.store.runs.ofSubagent(session, subagentId('ses_df5f6eb41ffelQtcIdU165xioK'))
    expect(runs).toMatchObject([
      { number: 1, trigger: 'launch', status: 'completed', toolUseId: toolUseId('call_0008_0') },
    ])
  })

  test('a database and an exported session are imported, and again without effect', async () => {
    const lodeline = mkdtempSync('/tmp/ld-')
    try {
      using rows = new OpencodeRows(join(lodeline, 'backup'))
      rows.add(rowsOf('hello'))
      const { store } = database
      const take = (path: string) => importFiles([path], recorderOn(store), 4, undefined, join(lodeline, 'home'))
      expect(await take(join(OPENCODE_FIXTURES, 'export.json'))).toMatchObject({ files: 1, sessions: 1, problems: [] })
      expect(await take(rows.root)).toMatchObject({ files: 1, malformedLines: 0, problems: [] })
      expect(await take(rows.path)).toMatchObject({ files: 1, events: 0, problems: [] })
      expect(await store.sessions.find(sessionId('ses_e07ae2ac4ffeRRiUMNUTl83x2U'))).toMatchObject({
        ...{ title: 'Scripted title', usage: { inputTokens: 200, outputTokens: 20 }, counts: { toolCalls: 2 } },
      })
    } finally {
      rmSync(lodeline, { recursive: true, force: true })
    }
  })

  test('a forgotten session leaves its rows in no file of ours', async () => {
    const lodeline = mkdtempSync('/tmp/ld-')
    try {
      const engine = createRecordEngine(database.store, HOST, lodeline)
      await journalsOfStory(lodeline, 'sub')
      for (const { ref } of journalsBelow(lodeline)) await engine.recordFile(ref)
      expect(await engine.forget(sessionId(sessionOf('sub')))).not.toBeNull()
      const left = journalsBelow(lodeline).map(({ ref }) => readFileSync(ref.path, 'utf8'))
      expect(left).toEqual([FORGOTTEN_JOURNAL, FORGOTTEN_JOURNAL, FORGOTTEN_JOURNAL])
      for (const { ref } of journalsBelow(lodeline))
        expect(await engine.recordFile(ref)).toMatchObject({ state: 'forgotten' })
    } finally {
      rmSync(lodeline, { recursive: true, force: true })
    }
  })
})
