/** That a backup brings packs along, to another kind of place, and that what it brings back deletes nothing of the original. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeBackup } from '../../src/app/backup/make-backup'
import { restoreBackup } from '../../src/app/backup/restore-backup'
import { blobsOf, openDatabase } from '../../src/app/threads/database'
import { sessionId } from '../../src/domain/ids'
import { sealPacks } from '../../src/engine/packs/seal-packs'
import { bytesOf, prompt, recorderOn, transcript, write } from '../record/recording'
import { make, onEachDatabase, temporaryFolder } from '../store-contract/databases'
import { type S3Server, startS3 } from './s3-server'

const AT_ONCE = { minBytes: 1, quietMs: -60_000, keptMs: -60_000 }
const NO_KEYS = { identities: [], passphrases: [] }
const { signal } = new AbortController()

let s3: S3Server
let folder: string
beforeAll(async () => {
  folder = temporaryFolder()
  s3 = await startS3()
})
afterAll(async () => {
  await s3.stop()
  rmSync(folder, { recursive: true })
})

onEachDatabase((database) => {
  test('a backup from object storage is restored to another place, whole', async () => {
    const [made, empty] = [await make(database.kind), await make(database.kind, { isEmpty: true })]
    const home = made.place.path === undefined ? join(folder, 'home') : dirname(made.place.path)
    mkdirSync(home, { recursive: true })
    const url = made.place.url ?? null
    const config = { home, databaseUrl: url, blobs: s3.url(`${database.kind}-1`) }
    const store = await openDatabase(config, { mode: 'read-write', migrate: true })
    const blobs = await blobsOf(config)
    if (blobs === null) throw new Error('no blobs')
    const session = crypto.randomUUID()
    const text = Array.from({ length: 50 }, () => prompt(session, crypto.randomUUID().repeat(50))).join('')
    const ref = transcript(folder, session)
    write(ref, text)
    await recorderOn(store).recordFile(ref)
    expect(await sealPacks({ store, blobs, ...AT_ONCE })).toMatchObject({ packs: 1 })
    const to = join(folder, `${database.kind}.tar.gz`)
    await makeBackup({ config, to, encryptTo: null, signal })

    // SQLite's copy has its packs as files; PostgreSQL's needs a place for them.
    const there = url === null ? null : s3.url(`${database.kind}-2`)
    const target = { home: join(folder, `${database.kind}-restored`), databaseUrl: empty.place.url ?? null }
    if (url !== null)
      await expect(
        restoreBackup({ from: to, config: { ...target, blobs: null }, keys: NO_KEYS, signal }),
      ).rejects.toMatchObject({ code: 'invalid', hint: expect.stringContaining('LODELINE_BLOBS') })
    const restoredConfig = { ...target, blobs: there }
    await restoreBackup({ from: to, config: restoredConfig, keys: NO_KEYS, signal })
    const restored = await openDatabase(restoredConfig, { mode: 'read-write' })
    const incarnation = (await restored.journals.listBySession(sessionId(session)))[0]?.incarnations[0]?.id ?? 0
    expect((await bytesOf(restored, incarnation)).toString()).toBe(text)

    // With the original's own storage, the copy forgets the session: the original reads it all the same.
    const key = (await restored.sessions.find(sessionId(session)))?.key
    await restored.write((tx) => tx.sessions.forget(key as never))
    for (let pass = 0; pass < 3; pass++) await sealPacks({ store: restored, blobs, ...AT_ONCE })
    expect((await bytesOf(store, incarnation)).toString()).toBe(text)
    await restored.close()
    await store.close()
    await made.remove()
    await empty.remove()
  })
})
