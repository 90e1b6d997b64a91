/** That recording needs no object storage: while it takes no time, nothing waits for it, and all goes on when it is back. */
import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { blobsOf, openDatabase } from '../../src/app/threads/database'
import { sessionId } from '../../src/domain/ids'
import { sealPacks } from '../../src/engine/packs/seal-packs'
import { bytesOf, prompt, recorderOn, transcript, write } from '../record/recording'
import { temporaryFolder } from '../store-contract/databases'
import { startS3 } from './s3-server'

const AT_ONCE = { minBytes: 1, quietMs: -60_000, keptMs: 60_000 }

test('object storage that hangs holds up no recording, and what was to be moved is moved later', async () => {
  const [folder, s3] = [temporaryFolder(), await startS3()]
  const config = { home: folder, databaseUrl: null, blobs: s3.url('away') }
  const store = await openDatabase({ ...config, home: folder }, { mode: 'read-write', migrate: true })
  const blobs = await blobsOf(config)
  if (blobs === null) throw new Error('no blobs')
  const recorder = recorderOn(store)
  const add = async (session: string, text: string) => {
    const ref = transcript(join(folder, 'claude'), session)
    write(ref, text)
    await recorder.recordFile(ref)
    return (await store.journals.listBySession(sessionId(session)))[0]?.incarnations[0]?.id ?? 0
  }
  const [old, now] = [crypto.randomUUID(), crypto.randomUUID()]
  const before = prompt(old, 'before'.repeat(1_000))
  const sealed = await add(old, before)
  expect(await sealPacks({ store, blobs, ...AT_ONCE })).toMatchObject({ packs: 1 })

  s3.pause()
  const while_ = prompt(now, 'meanwhile')
  const incarnation = await add(now, while_)
  const sealing = sealPacks({ store, blobs, ...AT_ONCE }).catch((error: { code: string }) => error.code)
  // What lies in packs says that it is away, and does not hang.
  const other = await openDatabase(config, { mode: 'read-only' })
  const reading = bytesOf(other, sealed).catch((error: { code: string }) => error.code)
  const more = while_ + prompt(now, 'and more')
  await add(now, more)
  expect((await bytesOf(store, incarnation)).toString()).toBe(more)
  expect(await Promise.all([sealing, reading])).toEqual(['unavailable', 'unavailable'])
  expect((await bytesOf(store, incarnation)).toString()).toBe(more)

  s3.goOn()
  const backAt = performance.now()
  expect((await bytesOf(other, sealed)).toString()).toBe(before)
  expect(await sealPacks({ store, blobs, ...AT_ONCE })).toMatchObject({ packs: 1 })
  expect(performance.now() - backAt).toBeLessThan(5_000)
  expect((await bytesOf(other, incarnation)).toString()).toBe(more)
  expect(await store.packs.ripe({ quietSince: Date.now() + 60_000, limit: 1 })).toEqual([])
  await other.close()
  await store.close()
  await s3.stop()
  rmSync(folder, { recursive: true })
})
