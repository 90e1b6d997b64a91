/** Files that do not only grow: rewritten by the CLI's own compaction, deleted, forgotten; and two writers on one record. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../lab/until'
import { type TestDatabase, testDatabase } from '../postgres'
import { cleanUp } from './clean-up'
import { Lodeline } from './lodeline'
import { readOracle } from './oracle'
import { Lab } from './real-cli'
import { exported, readRecord, sessionFiles, settled, sorted } from './record'
import { dumpTables } from './tables'

/** Answers so long that the CLI finds its file worth rewriting when the conversation is compacted. */
const SCRIPT = [
  {
    match: { latest: 'Your task is to create a detailed summary' },
    steps: [{ text: '<summary>SUMMARY: long answers were given.</summary>' }],
  },
  { match: { who: 'main', prompt: '^long' }, steps: [{ text: 'many words '.repeat(180_000) }] },
]

for (const kind of ['SQLite', 'PostgreSQL'] as const) {
  describe(kind, () => {
    let folder: string
    const id = crypto.randomUUID()
    const other = crypto.randomUUID()
    let database: TestDatabase | undefined
    let lab: Lab
    let lodeline: Lodeline
    let old: Buffer

    beforeAll(async () => {
      folder = mkdtempSync('/tmp/ld-')
      const script = join(folder, 'script.json')
      writeFileSync(script, JSON.stringify(SCRIPT))
      lab = await Lab.start({ version: '2.1.328', script, env: { CLAUDE_CODE_TRANSCRIPT_LOCAL_GC: '1' } })
      if (kind === 'PostgreSQL') database = await testDatabase()
      lodeline = new Lodeline({
        home: join(folder, 'home'),
        claudeRoots: [lab.claudeRoot],
        databaseUrl: database?.url,
      })
      await lodeline.up()
    }, 60_000)

    afterAll(
      () =>
        cleanUp(
          () => lodeline?.stop(),
          () => lab?.stop(),
          () => database?.drop(),
          () => rmSync(folder, { recursive: true, force: true }),
        ),
      60_000,
    )

    test('a compaction that rewrites the file begins a new incarnation; both are kept, no event is lost', async () => {
      const { client } = lodeline
      for (const [i, prompt] of ['long one', 'long two', 'long three'].entries()) {
        await lab.run(i === 0 ? { prompt, sessionId: id } : { prompt, resume: id })
      }
      await settled(client, lab.transcripts, id)
      old = readFileSync(lab.transcript(id))
      const { ino } = statSync(lab.transcript(id))
      await lab.run({ prompt: '/compact', resume: id })
      expect(statSync(lab.transcript(id)).ino).not.toBe(ino)
      expect(statSync(lab.transcript(id)).size).toBeLessThan(old.length)
      await lab.run({ prompt: 'hello again', resume: id })
      await settled(client, lab.transcripts, id)

      const [main] = (await client.sessions.journals(id)).journals.filter((journal) => journal.kind === 'transcript')
      expect(main?.incarnations.map(({ number }) => number)).toEqual([2, 1])
      expect(await exported(client, id)).toEqual(sessionFiles(lab.transcripts, id))
      const first = (await exported(client, id, 1)).get(`${id}.jsonl`)
      // The CLI wrote more before it rewrote the file: what we saw of that life begins with what we had.
      expect(first?.subarray(0, old.length).equals(old)).toBe(true)
      const oracle = readOracle(lab.transcripts, id, { earlier: [first?.toString('utf8') ?? ''] })
      expect(sorted(await readRecord(client, id))).toEqual(sorted(oracle))
    }, 60_000)

    test('the bytes of a deleted transcript stay', async () => {
      await lab.run({ prompt: 'long farewell', sessionId: other })
      await settled(lodeline.client, lab.transcripts, other)
      const files = sessionFiles(lab.transcripts, other)
      const oracle = sorted(readOracle(lab.transcripts, other))
      rmSync(lab.transcript(other))
      await until(
        'the end of the file to be seen',
        async () => {
          const { journals } = await lodeline.client.sessions.journals(other)
          return journals.some((journal) => journal.incarnations[0]?.closeReason === 'deleted')
        },
        40_000,
      )
      expect(await exported(lodeline.client, other)).toEqual(files)
      expect(sorted(await readRecord(lodeline.client, other))).toEqual(oracle)
    }, 60_000)

    test('rebuild derives the same rows from all incarnations', async () => {
      const before = await dumpTables(lodeline)
      await lodeline.json('rebuild')
      expect(await dumpTables(lodeline)).toEqual(before)
    }, 60_000)

    test('a forgotten session is gone, and the collector does not bring it back', async () => {
      const refused = await lodeline.lode('session', 'forget', id)
      expect(refused.exitCode).not.toBe(0)
      await lodeline.json('session', 'forget', id, '--yes')
      await lab.run({ prompt: 'long again', resume: id })
      await lab.run({ prompt: 'long other', resume: other })
      await until('the other session to grow', async () => {
        const { session } = await lodeline.client.sessions.get(other)
        return session.counts.events > 10
      })
      const { sessions } = await lodeline.client.sessions.list()
      expect(sessions.map((session) => session.id as string)).toEqual([other])
      expect(
        Object.values(await dumpTables(lodeline))
          .flat()
          .filter((row) => row.includes(id)),
      ).toEqual([])
    }, 60_000)
  })
}
