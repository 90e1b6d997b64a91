/**
 * Every story of the lab with both pinned CLIs, followed live by two servers at once: one on the embedded database, one on
 * PostgreSQL. Only one of the two is told by hooks, so that the same session is recorded with hooks and without.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type TestDatabase, testDatabase } from '../postgres'
import { cleanUp } from './clean-up'
import { hookSettings } from './hook-settings'
import { Lodeline } from './lodeline'
import { readOracle } from './oracle'
import { CLI_VERSIONS, Lab } from './real-cli'
import { exported, readFacts, readRecord, sessionFiles, settled, sorted } from './record'
import { type Played, SCENARIOS } from './scenarios'

/** Stories at the same time: most of them wait rather than work. */
const LANES = 3

for (const version of CLI_VERSIONS) {
  describe(`Claude Code ${version}`, () => {
    let folder: string
    const labs: Lab[] = []
    const played: Promise<Played>[] = []
    let database: TestDatabase
    let embedded: Lodeline
    let fleet: Lodeline

    beforeAll(async () => {
      folder = mkdtempSync('/tmp/ld-')
      database = await testDatabase()
      // The newest release has its hooks on the embedded database, the older one on PostgreSQL.
      const hooked = join(folder, version === CLI_VERSIONS[0] ? 'a' : 'b')
      for (const { script, env } of SCENARIOS) {
        const settings = hookSettings(Lodeline.hookCommand(hooked))
        labs.push(await Lab.start({ version, script, settings, env }))
      }
      const claudeRoots = labs.map((lab) => lab.claudeRoot)
      embedded = new Lodeline({ home: join(folder, 'a'), claudeRoots })
      fleet = new Lodeline({ home: join(folder, 'b'), claudeRoots, databaseUrl: database.url })
      await Promise.all([embedded.up(), fleet.up()])
      const lanes: Promise<unknown>[] = []
      for (const [i, scenario] of SCENARIOS.entries()) {
        const lab = labs[i]
        if (!lab) continue
        const story = (lanes[i % LANES] ?? Promise.resolve()).then(() => scenario.play(lab))
        played.push(story)
        lanes[i % LANES] = story.catch(() => {})
      }
    }, 60_000)

    afterAll(
      () =>
        cleanUp(
          () => embedded?.stop(),
          () => fleet?.stop(),
          () => Promise.all(labs.map((lab) => lab.stop())),
          () => database?.drop(),
          () => rmSync(folder, { recursive: true, force: true }),
        ),
      60_000,
    )

    for (const [i, { name }] of SCENARIOS.entries()) {
      test(`${name}: the record is what the transcripts say, with hooks and without, on both databases`, async () => {
        const lab = labs[i]
        const story = await played[i]
        if (!lab || !story) throw new Error('the story was not prepared')
        for (const id of story.sessions) {
          const forkedFrom = story.forks[id]
          const oracle = sorted(readOracle(lab.transcripts, id, forkedFrom ? { forkedFrom } : {}))
          for (const { client } of [embedded, fleet]) {
            await settled(client, lab.transcripts, id)
            expect(sorted(await readRecord(client, id))).toEqual(oracle)
            const { session } = await client.sessions.get(id)
            expect(session.forkedFrom as string | null).toBe(forkedFrom ?? null)
            expect(session.cwd).toBe(lab.project)
            expect(session.agentVersion).toBe(version)
            expect(session.counts.malformedLines).toBe(0)
            expect(await exported(client, id)).toEqual(sessionFiles(lab.transcripts, id))
          }
          expect(await readFacts(fleet.client, id)).toEqual(await readFacts(embedded.client, id))
        }
      }, 60_000)
    }
  })
}
