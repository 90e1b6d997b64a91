/** The server dies again and again while agents work; afterwards nothing is missing and nothing is there twice. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type TestDatabase, testDatabase } from '../postgres'
import { cleanUp } from './clean-up'
import { hookSettings } from './hook-settings'
import { Lodeline } from './lodeline'
import { readOracle } from './oracle'
import { Lab } from './real-cli'
import { exported, readRecord, sessionFiles, settled, sorted } from './record'
import { type Played, SCENARIOS } from './scenarios'

const STORIES = [
  'todos with the task tools',
  'sub-agents, nested and side by side',
  'a background agent',
  'a compaction by hand',
]

for (const kind of ['SQLite', 'PostgreSQL'] as const) {
  describe(kind, () => {
    let folder: string
    const labs: Lab[] = []
    let database: TestDatabase | undefined
    let lodeline: Lodeline | undefined

    beforeAll(() => {
      folder = mkdtempSync('/tmp/ld-')
    })

    afterAll(
      () =>
        cleanUp(
          () => lodeline?.stop(),
          () => Promise.all(labs.map((lab) => lab.stop())),
          () => database?.drop(),
          () => rmSync(folder, { recursive: true, force: true }),
        ),
      60_000,
    )

    test('a server killed at random points while agents work misses nothing and doubles nothing', async () => {
      const home = join(folder, 'home')
      const settings = hookSettings(Lodeline.hookCommand(home))
      const scenarios = SCENARIOS.filter(({ name }) => STORIES.includes(name))
      for (const { script } of scenarios) labs.push(await Lab.start({ version: '2.1.328', script, settings }))
      if (kind === 'PostgreSQL') database = await testDatabase()
      lodeline = new Lodeline({
        home,
        claudeRoots: labs.map((lab) => lab.claudeRoot),
        databaseUrl: database?.url,
      })
      let isOver = false
      const stories = Promise.all(scenarios.map((scenario, i) => scenario.play(at(labs, i)))).finally(() => {
        isOver = true
      })
      stories.catch(() => {})
      const waits: number[] = []
      while (!isOver) {
        await lodeline.up()
        waits.push(Math.round(Math.random() * 700))
        await Bun.sleep(waits.at(-1) ?? 0)
        await lodeline.crash()
      }
      const played = await stories
      await lodeline.up()
      try {
        for (const [i, { sessions }] of played.entries()) await compare(lodeline, at(labs, i), sessions)
      } catch (error) {
        throw new Error(`killed after ${waits.join(', ')} ms`, { cause: error })
      }
    }, 90_000)
  })
}

async function compare({ client }: Lodeline, lab: Lab, sessions: Played['sessions']): Promise<void> {
  for (const id of sessions) {
    await settled(client, lab.transcripts, id)
    expect(sorted(await readRecord(client, id))).toEqual(sorted(readOracle(lab.transcripts, id)))
    expect(await exported(client, id)).toEqual(sessionFiles(lab.transcripts, id))
  }
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index]
  if (item === undefined) throw new Error(`no item ${index}`)
  return item
}
