/** One record, several processes that write it. */
import { afterAll, describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import type { Claude } from '../../lab/claude'
import { Lab } from '../../lab/lab'
import { readOracle } from './oracle'
import { readRecord, settled, sorted } from './record'
import { SCENARIOS } from './scenarios'
import { dumpTables } from './tables'

const fixtures = resolve(import.meta.dir, '../../fixtures/claude-code/transcripts')

describe('several writers', () => {
  const lab = new Lab()
  afterAll(() => lab.stop(), 60_000)

  test('two collectors on one folder and one database record each line once', async () => {
    const databaseUrl = await lab.addDatabase('postgres')
    const scenarios = SCENARIOS.filter(({ script }) => script === 'subagents' || script === 'todos')
    const clis: Claude[] = []
    for (const { script, env } of scenarios) clis.push(await lab.addClaude({ version: '2.1.328', script, env }))
    const claudeRoots = clis.map(({ claudeRoot }) => claudeRoot)
    const running = ['a', 'b'].map((name) => lab.addLode(name, { claudeRoots, databaseUrl }))
    await Promise.all(running.map((lode) => lode.up()))
    const played = await Promise.all(scenarios.map((scenario, i) => scenario.play(at(clis, i))))
    for (const [i, { sessions }] of played.entries()) {
      const { transcripts } = at(clis, i)
      for (const id of sessions) {
        for (const { client } of running) {
          await settled(client, transcripts, id)
          expect(sorted(await readRecord(client, id))).toEqual(sorted(readOracle(transcripts, id)))
        }
      }
    }
  })

  test('imports at the same time into one embedded database leave what one import leaves', async () => {
    const one = lab.addLode('one')
    const many = lab.addLode('many')
    await Promise.all([one, many].map((lode) => lode.json('db', 'migrate', 'up')))
    await one.json('import', fixtures)
    await Promise.all([many, many, many].map((lodeline) => lodeline.json('import', fixtures)))
    const [expected, got] = await Promise.all([dumpTables(one), dumpTables(many)])
    expect(expected.conversation_events?.length).toBeGreaterThan(500)
    expect(got).toEqual(expected)
  })
})

function at<T>(list: readonly T[], index: number): T {
  const item = list[index]
  if (item === undefined) throw new Error(`no item ${index}`)
  return item
}
