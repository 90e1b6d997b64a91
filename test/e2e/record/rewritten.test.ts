/**
 * Files that do not only grow: rewritten by the CLI's own compaction, deleted, forgotten. A server on each database records the same CLI at
 * the same time.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { type LabWith, openLab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { until } from '../../lab/until'
import { readOracle } from './oracle'
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

const id = crypto.randomUUID()
const other = crypto.randomUUID()
let lab: LabWith<'claude'>
let lodes: Lode[]
/** On each database. */
const each = (check: (lode: Lode) => Promise<unknown>) => Promise.all(lodes.map(check))

beforeAll(async () => {
  const env = { CLAUDE_CODE_TRANSCRIPT_LOCAL_GC: '1' }
  lab = await openLab({ claude: { version: '2.1.328', script: SCRIPT, env } })
  lodes = []
  for (const kind of ['sqlite', 'postgres'] as const) {
    const databaseUrl = await lab.addDatabase(kind)
    lodes.push(lab.addLode(kind, { claudeRoots: [lab.claude.claudeRoot], databaseUrl }))
  }
  await each((lode) => lode.up())
})

afterAll(() => lab?.stop(), 60_000)

const allSettled = (session: string) => each(({ client }) => settled(client, lab.claude.transcripts, session))

test('a compaction that rewrites the file begins a new incarnation; both are kept, no event is lost', async () => {
  for (const [i, prompt] of ['long one', 'long two', 'long three'].entries()) {
    await lab.claude.run(i === 0 ? { prompt, sessionId: id } : { prompt, resume: id })
  }
  await allSettled(id)
  const old = readFileSync(lab.claude.transcript(id))
  const { ino } = statSync(lab.claude.transcript(id))
  await lab.claude.run({ prompt: '/compact', resume: id })
  expect(statSync(lab.claude.transcript(id)).ino).not.toBe(ino)
  expect(statSync(lab.claude.transcript(id)).size).toBeLessThan(old.length)
  await lab.claude.run({ prompt: 'hello again', resume: id })
  await allSettled(id)

  await each(async ({ client }) => {
    const [main] = (await client.sessions.journals(id)).journals.filter((journal) => journal.kind === 'transcript')
    expect(main?.incarnations.map(({ number }) => number)).toEqual([2, 1])
    expect(await exported(client, id)).toEqual(sessionFiles(lab.claude.transcripts, id))
    const first = (await exported(client, id, 1)).get(`${id}.jsonl`)
    // The CLI wrote more before it rewrote the file: what we saw of that life begins with what we had.
    expect(first?.subarray(0, old.length).equals(old)).toBe(true)
    const oracle = readOracle(lab.claude.transcripts, id, { earlier: [first?.toString('utf8') ?? ''] })
    expect(sorted(await readRecord(client, id))).toEqual(sorted(oracle))
  })
})

test('the bytes of a deleted transcript stay', async () => {
  await lab.claude.run({ prompt: 'long farewell', sessionId: other })
  await allSettled(other)
  const files = sessionFiles(lab.claude.transcripts, other)
  const oracle = sorted(readOracle(lab.claude.transcripts, other))
  rmSync(lab.claude.transcript(other))
  await each(async ({ client }) => {
    await until('the end of the file to be seen', async () => {
      const { journals } = await client.sessions.journals(other)
      return journals.some((journal) => journal.incarnations[0]?.closeReason === 'deleted')
    })
    expect(await exported(client, other)).toEqual(files)
    expect(sorted(await readRecord(client, other))).toEqual(oracle)
  })
})

test('rebuild derives the same rows from all incarnations', async () => {
  await each(async (lode) => {
    const before = await dumpTables(lode)
    await lode.json('rebuild')
    expect(await dumpTables(lode)).toEqual(before)
  })
})

test('a forgotten session is gone, and the collector does not bring it back', async () => {
  await each(async (lode) => {
    const refused = await lode.lode('session', 'forget', id)
    expect(refused.exitCode).not.toBe(0)
    await lode.json('session', 'forget', id, '--yes')
  })
  await lab.claude.run({ prompt: 'long again', resume: id })
  await lab.claude.run({ prompt: 'long other', resume: other })
  await each(async (lode) => {
    await until('the other session to grow', async () => {
      const { session } = await lode.client.sessions.get(other)
      return session.counts.events > 10
    })
    const { sessions } = await lode.client.sessions.list()
    expect(sessions.map((session) => session.id as string)).toEqual([other])
    const rows = Object.values(await dumpTables(lode)).flat()
    expect(rows.filter((row) => row.includes(id))).toEqual([])
  })
})
