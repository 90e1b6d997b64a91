/** The server dies again and again while agents work; afterwards nothing is missing and nothing is there twice. */
import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Claude } from '../../lab/claude'
import { Lab } from '../../lab/lab'
import { hookCommand, type Lode } from '../../lab/lode'
import { hookSettings } from './hook-settings'
import { readOracle } from './oracle'
import { exported, readRecord, sessionFiles, settled, sorted } from './record'
import { type Played, SCENARIOS } from './scenarios'

const STORIES = [
  'todos with the task tools',
  'sub-agents, nested and side by side',
  'a background agent',
  'a compaction by hand',
]

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(kind, () => {
    const lab = new Lab()
    afterAll(() => lab.stop(), 60_000)

    test('a server killed at random points while agents work misses nothing and doubles nothing', async () => {
      const settings = hookSettings(hookCommand(join(lab.root, 'home')))
      const scenarios = SCENARIOS.filter(({ name }) => STORIES.includes(name))
      const clis: Claude[] = []
      for (const { script } of scenarios) clis.push(await lab.addClaude({ version: '2.1.328', script, settings }))
      const lode = lab.addLode('home', {
        claudeRoots: clis.map(({ claudeRoot }) => claudeRoot),
        databaseUrl: await lab.addDatabase(kind),
      })
      let isOver = false
      const stories = Promise.all(scenarios.map((scenario, i) => scenario.play(at(clis, i)))).finally(() => {
        isOver = true
      })
      stories.catch(() => {})
      const waits: number[] = []
      while (!isOver) {
        await lode.up()
        waits.push(Math.round(Math.random() * 700))
        await Bun.sleep(waits.at(-1) ?? 0)
        await lode.crash()
      }
      const played = await stories
      await lode.up()
      try {
        for (const [i, { sessions }] of played.entries()) await compare(lode, at(clis, i), sessions)
      } catch (error) {
        throw new Error(`killed after ${waits.join(', ')} ms`, { cause: error })
      }
    })
  })
}

async function compare({ client }: Lode, claude: Claude, sessions: Played['sessions']): Promise<void> {
  for (const id of sessions) {
    await settled(client, claude.transcripts, id)
    expect(sorted(await readRecord(client, id))).toEqual(sorted(readOracle(claude.transcripts, id)))
    expect(await exported(client, id)).toEqual(sessionFiles(claude.transcripts, id))
  }
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index]
  if (item === undefined) throw new Error(`no item ${index}`)
  return item
}
