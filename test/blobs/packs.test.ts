/** That chunks which lie in packs are read, changed and forgotten as others are, and that no failure between leaves one in no place. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BlobStore } from '../../src/domain/blob-store'
import { sessionId } from '../../src/domain/ids'
import type { Store } from '../../src/domain/store'
import { checkPacks } from '../../src/engine/packs/check-packs'
import { sealPacks } from '../../src/engine/packs/seal-packs'
import { eraseSecret } from '../../src/engine/secrets/erase'
import { openBlobs } from '../../src/store/blobs/open-blobs'
import type { KeptStore } from '../../src/store/sql/kept-store'
import { bytesOf, prompt, recorderOn, transcript, write } from '../record/recording'
import { SampleSecrets } from '../secrets/sample-secrets'
import { onEachDatabase } from '../store-contract/databases'

/** As small as nothing else is, and as if everything was quiet for long. */
const AT_ONCE = { minBytes: 1, maxBytes: 100_000, quietMs: -60_000, keptMs: -60_000 }
const BY = { kind: 'operator', name: null, peer: null } as const

onEachDatabase((database) => {
  const folder = mkdtempSync('/tmp/ld-packs-')
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const blobs = openBlobs({ folder })
  const names = async (prefix = ''): Promise<string[]> => {
    const found: string[] = []
    for await (const { name } of blobs.list(prefix)) found.push(name)
    return found.sort()
  }
  /** Another store on the same database, which knows these blobs. */
  async function withStore(
    use: (store: KeptStore, root: string) => Promise<void>,
    own: BlobStore = blobs,
  ): Promise<void> {
    const root = mkdtempSync('/tmp/ld-')
    const store = await database.open({ blobs: own })
    try {
      await use(store, root)
    } finally {
      await store.close()
      rmSync(root, { recursive: true, force: true })
    }
  }
  /** A transcript of some chunks, some of a line each. */
  async function record(store: Store, root: string, more = '') {
    const session = crypto.randomUUID()
    const ref = transcript(root, session)
    let text = Array.from({ length: 40 }, (_, n) => prompt(session, `${n} ${crypto.randomUUID().repeat(20)}`)).join('')
    write(ref, text)
    const recorder = recorderOn(store, 8_192)
    await recorder.recordFile(ref)
    for (const line of ['one', 'two', more || 'three']) {
      text += prompt(session, line)
      write(ref, text)
      await recorder.recordFile(ref)
    }
    const [journal] = await store.journals.listBySession(sessionId(session))
    return { session: sessionId(session), ref, text, incarnation: journal?.incarnations[0]?.id ?? 0, recorder }
  }
  const sealedOf = (store: Store, { incarnation }: { incarnation: number }) =>
    store.packs.sealedIn(incarnation as never, 0, 10_000_000)
  const expectWhole = async (store: Store, { incarnation, text }: { incarnation: number; text: string }) =>
    expect((await bytesOf(store, incarnation)).toString()).toBe(text)

  test('what lies in a pack is read whole and in parts, and the file goes on behind it', () =>
    withStore(async (store, root) => {
      const made = await record(store, root)
      const sealed = await sealPacks({ store, blobs, ...AT_ONCE })
      expect(sealed?.plainBytes).toBeGreaterThanOrEqual(Buffer.byteLength(made.text))
      expect(await store.packs.ripe({ quietSince: Date.now() + 60_000, limit: 10 })).toEqual([])
      await expectWhole(store, made)
      const part: Uint8Array[] = []
      for await (const bytes of store.journals.read(made.incarnation, 12_345, 30_000)) part.push(bytes)
      expect(Buffer.concat(part).toString()).toBe(made.text.slice(12_345, 42_345))
      // Lines in packs and lines in the database, in one journal.
      const text = made.text + prompt(made.session, 'later')
      write(made.ref, text)
      expect(await made.recorder.recordFile(made.ref)).toMatchObject({ state: 'grown', eventsAdded: 1 })
      await expectWhole(store, { ...made, text })
      // Another inode with the same bytes: they are compared with what is in the pack.
      rmSync(made.ref.path)
      write(made.ref, text)
      expect(await recorderOn(store).recordFile(made.ref)).toMatchObject({ bytesAdded: 0, eventsAdded: 0 })
      expect(await store.journals.listBySession(made.session)).toMatchObject([{ incarnations: [{ number: 1 }] }])
      await sealPacks({ store, blobs, ...AT_ONCE })
      await expectWhole(store, { ...made, text })
    }))

  test('forgetting a session deletes the keys of all that lies in packs, and its packs go', () =>
    withStore(async (store, root) => {
      const [gone, kept] = [await record(store, root), await record(store, root)]
      await sealPacks({ store, blobs, ...AT_ONCE, maxBytes: 10_000_000 })
      const chunks = await sealedOf(store, gone)
      expect(chunks.length).toBeGreaterThan(0)
      const key = (await store.sessions.find(gone.session))?.key
      await store.write((tx) => tx.sessions.forget(key as never))
      await store.maintain('scrub')
      expect(await sealedOf(store, gone)).toEqual([])
      if (database.place.path !== undefined) {
        const at = dirname(database.place.path)
        for (const file of readdirSync(at).filter((name) => name.startsWith('lodeline.db')))
          for (const chunk of chunks) expect(readFileSync(join(at, file)).includes(Buffer.from(chunk.key))).toBe(false)
      }
      // The pack is there as long as others lie in it, and holds nothing that can be read.
      const pack = Buffer.from(await blobs.read(chunks[0]?.name ?? '', 0, 1_000))
      expect(pack.includes(Buffer.from(gone.text.slice(0, 20)))).toBe(false)
      await expectWhole(store, kept)
    }))

  test('a pack of which little is in use is packed anew, and one without use is deleted after a while', () =>
    withStore(async (store, root) => {
      const [gone, kept] = [await record(store, root), await record(store, root)]
      await sealPacks({ store, blobs, ...AT_ONCE, maxBytes: 10_000_000 })
      const before = (await sealedOf(store, kept))[0]?.name ?? ''
      for (const other of await store.packs.names()) expect(await blobs.head(other)).toBeDefined()
      const key = (await store.sessions.find(gone.session))?.key
      await store.write((tx) => tx.sessions.forget(key as never))
      // Nothing was forgotten but half of this pack: it counts as wasteful once more than half is gone.
      const more = await record(store, root)
      await sealPacks({ store, blobs, ...AT_ONCE, keptMs: 60_000 })
      expect(await blobs.head(before)).toBeDefined()
      for (let pass = 0; pass < 3; pass++) await sealPacks({ store, blobs, ...AT_ONCE })
      expect(await names()).toEqual([...(await store.packs.names())].sort())
      await expectWhole(store, kept)
      await expectWhole(store, more)
    }))

  test('an erased secret is nowhere in the record, and its pack cannot be opened there', () =>
    withStore(async (store, root) => {
      const secret = new SampleSecrets(7).of('npm-token')
      const made = await record(store, root, `use ${secret}`)
      await sealPacks({ store, blobs, ...AT_ONCE })
      const [found] = (await store.secrets.list({ sessionId: made.session }, { limit: 10 })).rows
      const old = (await sealedOf(store, made)).at(-1)
      await eraseSecret(found?.id ?? '', { store, by: BY, overwriteFiles: () => [] })
      const text = (await bytesOf(store, made.incarnation)).toString()
      expect(text).not.toContain(secret)
      expect(text).toContain('[secret erased]')
      expect(text).toHaveLength(made.text.length)
      await sealPacks({ store, blobs, ...AT_ONCE })
      expect((await bytesOf(store, made.incarnation)).toString()).toBe(text)
      const keys = (await sealedOf(store, made)).map((chunk) => Buffer.from(chunk.key).toString('hex'))
      expect(keys).not.toContain(Buffer.from(old?.key ?? []).toString('hex'))
    }))

  test('what is erased while its pack is being put stays erased', () =>
    withStore(async (store, root) => {
      const secret = new SampleSecrets(8).of('npm-token')
      const made = await record(store, root, `use ${secret}`)
      const [found] = (await store.secrets.list({ sessionId: made.session }, { limit: 10 })).rows
      const put: BlobStore['put'] = async (...args) => {
        await blobs.put(...args)
        if ((await store.secrets.marksOf(found?.id ?? '')).length > 0)
          await eraseSecret(found?.id ?? '', { store, by: BY, overwriteFiles: () => [] })
      }
      await sealPacks({ store, blobs: { ...blobs, put }, ...AT_ONCE })
      expect((await bytesOf(store, made.incarnation)).toString()).not.toContain(secret)
      await sealPacks({ store, blobs, ...AT_ONCE })
      expect((await bytesOf(store, made.incarnation)).toString()).not.toContain(secret)
    }))

  test('wherever sealing is cut off, every byte is there, and no blob is left over at last', () =>
    withStore(async (store, root) => {
      const made = await record(store, root)
      let cutAt = 0
      for (; ; cutAt++) {
        let step = 0
        const cut = async <T>(act: () => Promise<T>): Promise<T> => {
          if (++step === cutAt + 1) throw new Error('cut off before')
          return await act()
        }
        const cutStore = { packs: store.packs, write: ((...args) => cut(() => store.write(...args))) as Store['write'] }
        const cutBlobs: BlobStore = {
          ...blobs,
          put: async (name, bytes) => {
            await cut(() => blobs.put(name, bytes))
            await cut(async () => {})
          },
          delete: (name) => cut(() => blobs.delete(name)),
        }
        const isDone = await sealPacks({ store: cutStore, blobs: cutBlobs, ...AT_ONCE }).then(
          () => true,
          () => false,
        )
        await expectWhole(store, made)
        for (const name of await store.packs.names())
          if ((await sealedOf(store, made)).some((chunk) => chunk.name === name))
            expect(await blobs.head(name)).toBeDefined()
        if (isDone) break
        // The one that died held the others up.
        await store.write((tx) => tx.packs.release())
      }
      expect(cutAt).toBeGreaterThan(6)
      for (let pass = 0; pass < 3; pass++) await sealPacks({ store, blobs, ...AT_ONCE })
      await expectWhole(store, made)
      expect(await names()).toEqual([...(await store.packs.names())].sort())
    }))

  test('one server makes packs at a time, and nobody deletes what is of another database', () =>
    withStore(async (store, root) => {
      const other = '0123456789abcdef/packs/of-another'
      await blobs.put(other, new Uint8Array(3))
      const held = await store.write((tx) => tx.packs.claim(60_000))
      expect(await sealPacks({ store, blobs, ...AT_ONCE })).toBeNull()
      const stray = `${held}/packs/stray`
      await blobs.put(stray, new Uint8Array(3))
      await store.write((tx) => tx.packs.release())
      await sealPacks({ store, blobs, ...AT_ONCE })
      expect(await blobs.head(stray)).toBeUndefined()
      expect(await blobs.head(other)).toBeDefined()
      await store.write((tx) => tx.packs.leaveSpace())
      const made = await record(store, root)
      await sealPacks({ store, blobs, ...AT_ONCE })
      expect((await sealedOf(store, made)).every(({ name }) => !name.startsWith(`${held}/`))).toBe(true)
      await blobs.delete(other)
    }))

  test('damaged and missing packs are told as that', () =>
    withStore(async (store, root) => {
      const made = await record(store, root)
      await sealPacks({ store, blobs, ...AT_ONCE })
      const chunk = (await sealedOf(store, made))[0]
      const name = chunk?.name ?? ''
      const bytes = await blobs.read(name, 0, (await blobs.head(name))?.size ?? 0)
      const changed = Buffer.from(bytes)
      changed.writeUInt8((changed[chunk?.place ?? 0] ?? 0) ^ 1, chunk?.place ?? 0)
      await blobs.put(name, changed)
      await withStore(async (fresh) => {
        await expect(bytesOf(fresh, made.incarnation)).rejects.toMatchObject({ code: 'storage_corrupt' })
        await blobs.delete(name)
        await expect(bytesOf(fresh, made.incarnation)).rejects.toMatchObject({ code: 'storage_corrupt' })
        await blobs.put(name, bytes)
        await expectWhole(fresh, made)
      })
    }))

  test('a check names each pack that is missing, cut or changed, with whose lines it has', () =>
    withStore(async (store, root) => {
      const check = () => checkPacks(store.packs, blobs)
      const made: Awaited<ReturnType<typeof record>>[] = []
      for (let n = 0; n < 3; n++) {
        made.push(await record(store, root))
        await sealPacks({ store, blobs, ...AT_ONCE })
      }
      expect(await check()).toEqual([])
      const packOf = async (of: { incarnation: number }) => (await sealedOf(store, of))[0]?.name ?? ''
      const [gone = '', cut = '', changed = ''] = await Promise.all(made.map(packOf))
      expect(new Set([gone, cut, changed]).size).toBe(3)
      rmSync(join(folder, gone))
      const whole = readFileSync(join(folder, cut))
      writeFileSync(join(folder, cut), whole.subarray(0, -1))
      const bytes = readFileSync(join(folder, changed))
      bytes[10] = (bytes[10] ?? 0) ^ 1
      writeFileSync(join(folder, changed), bytes)
      // Readers keep what they read last.
      await withStore(async (fresh) => {
        const problems = await checkPacks(fresh.packs, blobs)
        const words = ['is missing', 'is damaged: of 1 ', 'is damaged: of 1 ']
        expect(problems).toEqual(
          [gone, cut, changed].map((name, n) =>
            expect.stringMatching(
              new RegExp(`^pack ${name} ${words[n]}.*${made[n]?.session}. Restore it from a backup.$`),
            ),
          ),
        )
        expect((await checkPacks(fresh.packs, null)).length).toBe((await fresh.packs.inUse()).length)
      })
      writeFileSync(join(folder, cut), Buffer.concat([whole, Buffer.of(0)]))
      expect((await check()).join(' ')).toContain(
        `pack ${cut} has ${whole.length + 1} bytes instead of ${whole.length}`,
      )
      for (const { session } of made) {
        const key = (await store.sessions.find(session))?.key
        await store.write((tx) => tx.sessions.forget(key as never))
      }
      expect(await check()).toEqual([])
    }))
})
