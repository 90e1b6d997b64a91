/**
 * Every story of the lab, by turns with the newest and the oldest pinned CLI, followed live by two servers at once: one on the embedded
 * database, one on PostgreSQL. Each session tells only one of the two by hooks, so that it is recorded with hooks and without.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Claude } from '../../lab/claude'
import { NEWEST_CLI, OUTER_CLIS } from '../../lab/claude'
import { outerCliInTurn } from '../../lab/in-turn'
import { Lab } from '../../lab/lab'
import { hookCommand, type Lode } from '../../lab/lode'
import { hookSettings } from './hook-settings'
import { readOracle } from './oracle'
import { exported, readFacts, readRecord, sessionFiles, settled, sorted } from './record'
import { type Played, SCENARIOS } from './scenarios'

/** Stories at the same time: most of them wait rather than work. */
const LANES = 3

/** A story for one of them, the next for the other. */
const STORIES = SCENARIOS.flatMap((scenario, at) => outerCliInTurn(at).map((version) => ({ version, ...scenario })))

const lab = new Lab()
const clis: Claude[] = []
const played: Promise<Played>[] = []
let embedded: Lode
let fleet: Lode

beforeAll(async () => {
  for (const { version, script, env } of STORIES) {
    // The newest release has its hooks on the embedded database, the older one on PostgreSQL.
    const settings = hookSettings(hookCommand(join(lab.root, version === NEWEST_CLI ? 'a' : 'b')))
    clis.push(await lab.addClaude({ version, script, settings, env }))
  }
  const claudeRoots = clis.map(({ claudeRoot }) => claudeRoot)
  embedded = lab.addLode('a', { claudeRoots })
  fleet = lab.addLode('b', { claudeRoots, databaseUrl: await lab.addDatabase('postgres') })
  await Promise.all([embedded.up(), fleet.up()])
  const lanes: Promise<unknown>[] = []
  for (const [i, { play }] of STORIES.entries()) {
    const claude = clis[i]
    if (!claude) continue
    const story = (lanes[i % LANES] ?? Promise.resolve()).then(() => play(claude))
    played.push(story)
    lanes[i % LANES] = story.catch(() => {})
  }
})

afterAll(() => lab.stop(), 60_000)

for (const version of OUTER_CLIS)
  describe(`Claude Code ${version}`, () => {
    for (const [i, story] of STORIES.entries()) {
      if (story.version !== version) continue
      test(`${story.name}: the record is what the transcripts say, with hooks and without, on both databases`, async () => {
        const claude = clis[i]
        const made = await played[i]
        if (!claude || !made) throw new Error('the story was not prepared')
        for (const id of made.sessions) {
          const forkedFrom = made.forks[id]
          const oracle = sorted(readOracle(claude.transcripts, id, forkedFrom ? { forkedFrom } : {}))
          for (const { client } of [embedded, fleet]) {
            await settled(client, claude.transcripts, id)
            expect(sorted(await readRecord(client, id))).toEqual(oracle)
            const { session } = await client.sessions.get(id)
            expect(session.forkedFrom as string | null).toBe(forkedFrom ?? null)
            expect(session.cwd).toBe(claude.project)
            expect(session.agentVersion).toBe(version)
            expect(session.counts.malformedLines).toBe(0)
            expect(await exported(client, id)).toEqual(sessionFiles(claude.transcripts, id))
          }
          expect(await readFacts(fleet.client, id)).toEqual(await readFacts(embedded.client, id))
        }
      })
    }
  })
