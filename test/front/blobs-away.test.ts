/**
 * The object storage is gone in the middle of work: it refuses, or says nothing. What is recorded and what runs needs none of it; what lies
 * there waits for its return.
 *
 * `LODELINE_LONG=1`: for a minute, in both ways.
 */
import { expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { blobsOf, openDatabase } from '../../src/app/threads/database'
import { sealPacks } from '../../src/engine/packs/seal-packs'
import { type S3Server, startS3 } from '../blobs/s3-server'
import { exported, sessionFiles, settled } from '../e2e/record/record'
import { openLab } from '../lab/lab'
import { until } from '../lab/until'

const isLong = process.env.LODELINE_LONG === '1'
const AWAY_MS = isLong ? 60_000 : 3_000
/** Milliseconds until everything goes on; a machine that runs all tests at once gets more. */
const GOES_ON_MS = isLong ? 5_000 : 15_000
const AT_ONCE = { minBytes: 1, quietMs: -60_000, keptMs: 60_000 }

const WAYS = {
  async killed(s3: S3Server) {
    await s3.kill()
    return () => s3.start()
  },
  /** Connections stand, and nothing comes over them. */
  async silent(s3: S3Server) {
    s3.pause()
    return async () => s3.goOn()
  },
}
const NAMES = Object.keys(WAYS) as (keyof typeof WAYS)[]

test.each(isLong ? NAMES : NAMES.slice(0, 1))(
  'while the object storage is %s no run ends and all is recorded; what lies there is there again with it',
  async (way) => {
    const s3 = await startS3()
    const blobs = s3.url('away')
    await using lab = await openLab({
      database: 'postgres',
      claude: { version: '2.1.328', script: 'servers' },
      lode: { settings: { blobs, 'worker.enabled': false } },
    })
    lab.ending('the object storage', () => s3.stop())
    const { lode, claude, workers, tasks } = lab
    await lode.up(['serve'])
    const { client } = lode
    await workers.start({ name: 'w', concurrency: 3 })
    const file = (name: string) => join(claude.project, name)
    const isOver = async (id: string) => (await tasks.get(id)).status === 'completed'
    const sessionOf = async (id: string) => (await tasks.attempts(id))[0]?.conversation?.sessionId ?? ''

    const parent = await tasks.create('say hello')
    await until('the first task', () => isOver(parent.id))
    const packed = await sessionOf(parent.id)
    await settled(client, claude.transcripts, packed)
    const place = { home: lode.home, databaseUrl: lode.databaseUrl ?? null, blobs }
    const store = await openDatabase(place, { mode: 'read-write' })
    const storage = await blobsOf(place)
    if (storage === null) throw new Error('no blobs')
    lab.ending('the store', () => store.close())
    expect(await sealPacks({ store, blobs: storage, ...AT_ONCE })).toMatchObject({ packs: 1 })

    const { id } = await tasks.create('cross over')
    await until('the run', () => existsSync(file('one.begun')))
    const bringBack = await WAYS[way](s3)
    const awayAt = performance.now()
    // It is to begin in a copy of what lies in the pack.
    const child = await tasks.create('say hello', { parentTaskId: parent.id })
    const reading = client.sessions.journals(packed)
    const sealing = sealPacks({ store, blobs: storage, ...AT_ONCE }).catch((error: { code: string }) => error.code)
    const lost = exported(client, packed).catch((error: { code: string }) => error.code)
    writeFileSync(file('one.go'), '')
    await until('the run to call a tool of ours and go on', () => existsSync(file('two.begun')))
    const session = await sessionOf(id)
    await settled(client, claude.transcripts, session)
    expect(Bun.deepEquals(await exported(client, session), sessionFiles(claude.transcripts, session))).toBe(true)
    const told = await client.messages.send({ to: id, text: 'mind the gap' })
    // A reader of what lies there gets an error, and does not hang.
    expect(await Promise.all([lost, sealing])).toEqual(['unavailable', 'unavailable'])
    expect((await reading).journals.length).toBeGreaterThan(0)
    await Bun.sleep(Math.max(0, awayAt + AWAY_MS - performance.now()))
    expect((await tasks.attempts(child.id)).map(({ process }) => process)).toEqual([null])
    expect((await client.feed.page({ limit: 1 })).entries.length).toBe(1)

    await bringBack()
    const backAt = performance.now()
    const since = () => Math.round(performance.now() - backAt)
    const times = await Promise.all([
      until('what lies there to be read', () => exported(client, packed).then(since, () => false), GOES_ON_MS),
      until(
        'the task to begin in its copy',
        async () => (await tasks.attempts(child.id)).some(({ process }) => process !== null) && since(),
        GOES_ON_MS,
      ),
      until(
        'chunks to be moved',
        () => sealPacks({ store, blobs: storage, ...AT_ONCE }).then(since, () => false),
        GOES_ON_MS,
      ),
    ])
    if (isLong) console.log(`${way}: read, the task began, chunks were moved after ${times.join(', ')} ms`)

    writeFileSync(file('two.go'), '')
    await until('the tasks to be over', async () => (await isOver(id)) && (await isOver(child.id)))
    for (const task of [parent.id, id, child.id])
      expect(new Set((await tasks.attempts(task)).map(({ outcome }) => outcome))).toEqual(new Set(['completed']))
    expect((await tasks.attempts(child.id))[0]?.conversation).toMatchObject({
      rung: 'snapshot',
      resumedSessionId: packed,
    })
    await until(
      'the message to be read',
      async () => (await client.messages.get(told.message.id)).message.status === 'consumed',
    )
    for (const each of [packed, session, await sessionOf(child.id)])
      await until('the record to be the file', async () =>
        Bun.deepEquals(await exported(client, each), sessionFiles(claude.transcripts, each)),
      )
  },
  180_000 + 2 * AWAY_MS,
)
