/** One record, several processes that write it. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type TestDatabase, testDatabase } from '../postgres'
import { cleanUp } from './clean-up'
import { Lodeline } from './lodeline'
import { readOracle } from './oracle'
import { Lab } from './real-cli'
import { readRecord, settled, sorted } from './record'
import { SCENARIOS } from './scenarios'
import { dumpTables } from './tables'

const fixtures = resolve(import.meta.dir, '../fixtures/claude-code/transcripts')

describe('several writers', () => {
  let folder: string
  const running: Lodeline[] = []
  const labs: Lab[] = []
  let database: TestDatabase | undefined

  beforeAll(() => {
    folder = mkdtempSync('/tmp/ld-')
  })

  afterAll(
    () =>
      cleanUp(
        () => Promise.all(running.map((lodeline) => lodeline.stop())),
        () => Promise.all(labs.map((lab) => lab.stop())),
        () => database?.drop(),
        () => rmSync(folder, { recursive: true, force: true }),
      ),
    60_000,
  )

  test('two collectors on one folder and one database record each line once', async () => {
    database = await testDatabase()
    const scenarios = SCENARIOS.filter(({ script }) => script === 'subagents' || script === 'todos')
    for (const { script, env } of scenarios) {
      labs.push(await Lab.start({ version: '2.1.328', script, env }))
    }
    const claudeRoots = labs.map((lab) => lab.claudeRoot)
    for (const name of ['a', 'b']) {
      const lodeline = new Lodeline({ home: join(folder, name), claudeRoots, databaseUrl: database.url })
      running.push(lodeline)
    }
    await Promise.all(running.map((lodeline) => lodeline.up()))
    const played = await Promise.all(scenarios.map((scenario, i) => scenario.play(at(labs, i))))
    for (const [i, { sessions }] of played.entries()) {
      const { transcripts } = at(labs, i)
      for (const id of sessions) {
        for (const { client } of running) {
          await settled(client, transcripts, id)
          expect(sorted(await readRecord(client, id))).toEqual(sorted(readOracle(transcripts, id)))
        }
      }
    }
  }, 60_000)

  test('imports at the same time into one embedded database leave what one import leaves', async () => {
    const one = new Lodeline({ home: join(folder, 'one') })
    const many = new Lodeline({ home: join(folder, 'many') })
    await Promise.all([one, many].map((lodeline) => lodeline.json('db', 'migrate', 'up')))
    await one.json('import', fixtures)
    await Promise.all([many, many, many].map((lodeline) => lodeline.json('import', fixtures)))
    const [expected, got] = await Promise.all([dumpTables(one), dumpTables(many)])
    expect(expected.conversation_events?.length).toBeGreaterThan(500)
    expect(got).toEqual(expected)
  }, 60_000)
})

function at<T>(list: readonly T[], index: number): T {
  const item = list[index]
  if (item === undefined) throw new Error(`no item ${index}`)
  return item
}
