import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Decrypter, Encrypter, generateIdentity, identityToRecipient } from 'age-encryption'
import { entriesOf, type MakeBackup, makeBackup } from '../../src/app/backup/make-backup'
import { readArchive } from '../../src/app/backup/read-archive'
import { type RestoreBackup, restoreBackup } from '../../src/app/backup/restore-backup'
import { writeResumable } from '../../src/app/backup/resumable-archive'
import { UnfinishedNotes } from '../../src/app/backup/unfinished'
import { type ArchiveEntry, writeArchive } from '../../src/app/backup/write-archive'
import { databasePath } from '../../src/app/threads/database'
import { openSource } from '../../src/store/copy/open-copy'
import { openStore, type StorePlace } from '../../src/store/open'
import type { EncryptTo, OpenWith } from '../../src/util/archive/age-stream'
import { failureOf, make, onEachDatabase, temporaryFolder } from '../store-contract/databases'
import { Crew } from '../tasks/crew'

/** A word that only conversations hold. */
const SECRET = 'a-word-of-a-conversation'
const NO_KEYS = { identities: [], passphrases: [] }
const never = new AbortController().signal

const FILES: Record<string, string> = {
  'config.yaml': 'retention:\n  days: 90\n',
  'host-id': `${'a'.repeat(32)}\n`,
  'hooks/hooks.jsonl': `{"${SECRET}":1}\n`,
  'handoffs/h.json': '{}',
  'issues/.lodeline/issues.jsonl': '',
  'streams/t-12345678.1.jsonl': 'x'.repeat(3_000_000),
}
const LEFT: Record<string, string> = { token: 'f'.repeat(64), 'log/lode.log': 'log', 'runs/a/settings.json': '{}' }

let folder: string
let key: { identity: string; recipient: string }
let count = 0
/** A path that nothing has yet. */
const fresh = (name: string) => join(folder, `${++count}`, name)
beforeAll(async () => {
  folder = temporaryFolder()
  const identity = await generateIdentity()
  key = { identity, recipient: await identityToRecipient(identity) }
})
afterAll(() => rm(folder, { recursive: true }))

function writeAll(home: string, files: Record<string, string>) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text)
  }
}

onEachDatabase((database) => {
  /** A home with files and a record, and where another one can be. */
  async function world() {
    const made = await make(database.kind)
    const home = made.place.path === undefined ? fresh('home') : dirname(made.place.path)
    mkdirSync(home, { recursive: true })
    writeAll(home, { ...FILES, ...LEFT })
    symlinkSync('/etc/passwd', join(home, 'handoffs/link'))
    const store = await openStore({ ...made.place, mode: 'read-write', migrate: true })
    const task = await new Crew(store).create({ title: 'kept', task: SECRET })
    await store.close()
    const empty = await make(database.kind, { isEmpty: true })
    return {
      home,
      task,
      place: made.place,
      config: { home, databaseUrl: made.place.url ?? null },
      empty: { home: fresh('restored'), databaseUrl: empty.place.url ?? null },
      [Symbol.asyncDispose]: async () => {
        await made.remove()
        await empty.remove()
      },
    }
  }
  type World = Awaited<ReturnType<typeof world>>
  const backup = async ({ config }: World, more: Partial<MakeBackup> = {}) => {
    const to = fresh('backup')
    mkdirSync(dirname(to), { recursive: true })
    return await makeBackup({ config, to, encryptTo: null, signal: never, ...more })
  }
  const restore = ({ empty }: World, from: string, more: Partial<RestoreBackup> = {}) =>
    restoreBackup({ from, config: empty, keys: NO_KEYS, signal: never, ...more })
  const placeOf = ({ empty }: World): StorePlace =>
    empty.databaseUrl === null ? { path: databasePath(empty.home) } : { url: empty.databaseUrl }
  /** Nothing was put in place, and nothing lies beside it. */
  const expectNothing = async (of: World) => {
    const beside = dirname(of.empty.home)
    expect(existsSync(beside) ? readdirSync(beside) : []).toEqual([])
    if (of.empty.databaseUrl !== null)
      expect(await failureOf(openStore({ url: of.empty.databaseUrl, mode: 'read-only' }))).toMatchObject({
        code: 'schema_mismatch',
      })
  }

  test('everything comes back, but what belongs to the old server', async () => {
    await using of = await world()
    const report = await backup(of)
    expect(report).toMatchObject({ database: database.kind, isEncrypted: false, files: Object.keys(FILES).length })
    expect(statSync(report.path).mode & 0o777).toBe(0o600)
    expect(statSync(report.path).size).toBe(report.bytes)
    expect(await restore(of, report.path)).toMatchObject({ home: of.empty.home, database: database.kind })
    for (const [name, text] of Object.entries(FILES)) {
      expect(readFileSync(join(of.empty.home, name), 'utf8')).toBe(text)
      expect(statSync(join(of.empty.home, name)).mode & 0o777).toBe(0o600)
    }
    for (const name of [...Object.keys(LEFT), 'handoffs/link'])
      expect(existsSync(join(of.empty.home, name))).toBe(false)
    expect(statSync(of.empty.home).mode & 0o777).toBe(0o700)
    expect(readdirSync(dirname(of.empty.home))).toEqual(['restored'])
    const store = await openStore({ ...placeOf(of), mode: 'read-only' })
    try {
      expect(await store.tasks.find(of.task.id)).toMatchObject({ title: 'kept' })
      const lines = (await store.audit.list({}, { limit: 2 })).rows
      expect(lines.map(({ act, detail }) => [act, detail])).toEqual([
        ['backup.restore', { version: expect.any(String), madeAt: report.madeAt }],
        ['backup.make', { isEncrypted: false }],
      ])
    } finally {
      await store.close()
    }
  })

  test('nothing is restored over something', async () => {
    await using of = await world()
    const { path } = await backup(of)
    expect(
      await failureOf(restoreBackup({ from: path, config: of.config, keys: NO_KEYS, signal: never })),
    ).toMatchObject({
      code: 'conflict',
    })
    expect(readFileSync(join(of.home, 'config.yaml'), 'utf8')).toBe(FILES['config.yaml'] ?? '')
    expect(await failureOf(backup(of, { to: path }))).toMatchObject({ code: 'conflict' })
    if (of.config.databaseUrl === null) return
    const config = { ...of.empty, databaseUrl: of.config.databaseUrl }
    expect(await failureOf(restoreBackup({ from: path, config, keys: NO_KEYS, signal: never }))).toMatchObject({
      code: 'conflict',
    })
    await expectNothing(of)
  })

  test('an archive that was cut off or changed anywhere is refused, and nothing is left', async () => {
    await using of = await world()
    const { path, bytes } = await backup(of)
    const whole = readFileSync(path)
    for (const at of [0, 10, 100, Math.floor(bytes / 3), Math.floor(bytes / 2), bytes - 600, bytes - 9, bytes - 1]) {
      writeFileSync(path, whole)
      truncateSync(path, at)
      expect([at, (await failureOf(restore(of, path))).code]).toEqual([at, 'invalid'])
      const changed = Buffer.from(whole)
      changed[at] = (changed[at] ?? 0) ^ 0x55
      writeFileSync(path, changed)
      const failure = await restore(of, path).then(
        () => null,
        (error: { code?: string }) => error.code,
      )
      // Some bytes of the container say nothing: its time, and what fills it up.
      if (failure !== null) expect([at, failure]).toEqual([at, 'invalid'])
      else break
      await expectNothing(of)
    }
  })

  test('what is encrypted is on the disk in no other form, and opens with its key alone', async () => {
    await using of = await world()
    const to = fresh('secret')
    mkdirSync(dirname(to), { recursive: true })
    const report = await backup(of, { to, encryptTo: { recipients: [key.recipient] } })
    expect(report.isEncrypted).toBe(true)
    const cipher = readFileSync(to)
    expect(cipher.subarray(512, 533).toString()).toBe('age-encryption.org/v1')
    expect(cipher.includes('backup.json')).toBe(false)
    expect(await failureOf(restore(of, to))).toMatchObject({
      code: 'invalid',
      hint: expect.stringContaining('--identity'),
    })
    const wrong = { identities: [await generateIdentity()], passphrases: [] }
    expect(await failureOf(restore(of, to, { keys: wrong }))).toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('no key'),
    })
    await expectNothing(of)
    const right = { identities: [...wrong.identities, key.identity], passphrases: [] }
    // Whoever cuts or changes it is found out by the encryption itself.
    for (const at of [812, cipher.length - 2_000]) {
      const changed = Buffer.from(cipher)
      changed[at] = (changed[at] ?? 0) ^ 1
      writeFileSync(to, changed)
      expect([at, (await failureOf(restore(of, to, { keys: right }))).code]).toEqual([at, 'invalid'])
    }
    writeFileSync(to, cipher.subarray(0, cipher.length - 65_552))
    expect(await failureOf(restore(of, to, { keys: right }))).toMatchObject({ code: 'invalid' })
    await expectNothing(of)
    // Other programs open it: tar the outer archive, one of the same format each segment, and tar reads what is in them.
    const outer = dirname(fresh('outer'))
    mkdirSync(outer, { recursive: true })
    writeFileSync(to, cipher)
    expect(Bun.spawnSync(['tar', 'xf', to, '-C', outer]).exitCode).toBe(0)
    expect(readdirSync(outer)).toEqual(['000001.tar.gz.age'])
    const decrypter = new Decrypter()
    decrypter.addIdentity(key.identity)
    const plain = fresh('plain.tar.gz')
    mkdirSync(dirname(plain), { recursive: true })
    writeFileSync(plain, await decrypter.decrypt(new Uint8Array(readFileSync(join(outer, '000001.tar.gz.age')))))
    const listed = Bun.spawnSync(['tar', 'tzf', plain])
    expect(listed.exitCode).toBe(0)
    const names = listed.stdout.toString().trim().split('\n')
    expect(names[0]).toBe('backup.json')
    expect(names).toContain('home/hooks/hooks.jsonl')
    expect(names.at(-1)).toBe('checksums.json')
    // And what another program encrypted with a passphrase is opened here.
    const encrypter = new Encrypter()
    encrypter.setPassphrase('correct horse battery')
    encrypter.setScryptWorkFactor(10)
    writeFileSync(to, await encrypter.encrypt(new Uint8Array(readFileSync(plain))))
    expect(await failureOf(restore(of, to, { keys: { identities: [], passphrases: ['wrong horse'] } }))).toMatchObject({
      code: 'invalid',
    })
    await restore(of, to, { keys: { identities: [], passphrases: ['correct horse battery'] } })
    expect(existsSync(join(of.empty.home, 'config.yaml'))).toBe(true)
  })

  test('a hostile archive writes nothing outside of its place', async () => {
    await using of = await world()
    for (const name of [
      'home/../evil',
      'home//etc/evil',
      'home/token',
      'home/hooks/../../evil',
      'evil',
      'home/hooks/\u0001',
    ]) {
      const path = fresh('hostile')
      mkdirSync(dirname(path), { recursive: true })
      await hostileArchive(path, { name, kind: database.kind })
      expect([name, (await failureOf(restore(of, path))).code]).toEqual([name, 'invalid'])
      await expectNothing(of)
    }
    expect(await failureOf(restore(of, join(folder, 'nowhere')))).toMatchObject({ code: 'not_found' })
    expect(await failureOf(restore(of, folder))).toMatchObject({ code: 'invalid' })
    writeFileSync(join(folder, 'text'), 'no archive')
    expect(await failureOf(restore(of, join(folder, 'text')))).toMatchObject({ code: 'invalid' })
  })

  test('a backup that ends before anything is durable leaves no file', async () => {
    await using of = await world()
    const ending = new AbortController()
    const to = fresh('interrupted')
    mkdirSync(dirname(to), { recursive: true })
    const failure = failureOf(backup(of, { to, signal: ending.signal }))
    ending.abort()
    await failure
    expect(readdirSync(dirname(to))).toEqual([])
  })

  /** Begins a backup and ends it before the entry of this name. @returns the draft */
  async function interrupt({ home, place }: World, to: string, before: string, encryptTo: EncryptTo | null = null) {
    await using source = await openSource(place)
    using notes = new UnfinishedNotes(home, to)
    const failure = writeResumable({
      to,
      encryptTo,
      notes,
      signal: never,
      segmentBytes: 1,
      async *entries(digests) {
        for await (const entry of entriesOf(home, source, new Date(0).toISOString(), digests)) {
          if (entry.name === before) throw new Error('interrupted')
          yield entry
        }
      },
    })
    await expect(failure).rejects.toThrow('interrupted')
    return join(dirname(to), readdirSync(dirname(to))[0] ?? '')
  }
  const sizeOf = (path: string) => statSync(path).size

  test('an interrupted backup is gone on with: of the new moment, and with little written twice', async () => {
    const ways: [EncryptTo | null, OpenWith][] = [
      [null, NO_KEYS],
      [{ recipients: [key.recipient] }, { identities: [key.identity], passphrases: [] }],
    ]
    for (const [encryptTo, keys] of database.kind === 'sqlite' ? ways : ways.slice(0, 1)) {
      await using of = await world()
      writeAll(of.home, { 'handoffs/gone.json': 'gone', 'hosts/noise': noise(400_000), 'hosts/other': noise(400_000) })
      const to = fresh('backup')
      mkdirSync(dirname(to), { recursive: true })
      const draft = await interrupt(of, to, 'checksums.json', encryptTo)
      const before = sizeOf(draft)
      writeAll(of.home, { 'hosts/other': 'changed', 'config.yaml': 'retention:\n  days: 30\n' })
      await rm(join(of.home, 'handoffs/gone.json'))
      const store = await openStore({ ...of.place, mode: 'read-write' })
      const later = await new Crew(store).create({ title: 'later' }).finally(() => store.close())
      const resumed: number[] = []
      const report = await backup(of, { to, encryptTo, onResume: (bytes) => void resumed.push(bytes) })
      expect([resumed, readdirSync(dirname(to))]).toEqual([[before], ['backup']])
      expect(report.bytes).toBeLessThan(before + 300_000)
      await restore(of, to, { keys })
      expect(readFileSync(join(of.empty.home, 'hosts/noise'), 'utf8')).toBe(
        readFileSync(join(of.home, 'hosts/noise'), 'utf8'),
      )
      expect(readFileSync(join(of.empty.home, 'hosts/other'), 'utf8')).toBe('changed')
      expect(readFileSync(join(of.empty.home, 'config.yaml'), 'utf8')).toContain('30')
      expect(existsSync(join(of.empty.home, 'handoffs/gone.json'))).toBe(false)
      const restored = await openStore({ ...placeOf(of), mode: 'read-only' })
      const found = [await restored.tasks.find(of.task.id), await restored.tasks.find(later.id)]
      await restored.close()
      expect(found).toMatchObject([{ title: 'kept' }, { title: 'later' }])
    }
  })

  test('nothing is used of an unfinished backup that was damaged, taken away or is for other keys', async () => {
    await using of = await world()
    const to = fresh('backup')
    mkdirSync(dirname(to), { recursive: true })
    const resumed: number[] = []
    for (const harm of [(path: string) => truncateSync(path, 10), rm, () => {}]) {
      await harm(await interrupt(of, to, 'checksums.json', harm.length === 0 ? { recipients: [key.recipient] } : null))
      const { path } = await backup(of, { to, onResume: (bytes) => void resumed.push(bytes) })
      expect([readdirSync(dirname(to)), resumed]).toEqual([['backup'], []])
      await rm(path)
    }
  })
})

test('an interrupted backup with a passphrase is gone on with by the same one alone', async () => {
  const [home, to] = [fresh('home'), fresh('backup')]
  for (const path of [home, dirname(to)]) mkdirSync(path, { recursive: true })
  const noted = noise(100_000)
  const write = (passphrase: string, isWhole: boolean) => {
    using notes = new UnfinishedNotes(home, to)
    return writeResumable({
      to,
      encryptTo: { passphrase },
      notes,
      signal: never,
      segmentBytes: 1,
      async *entries() {
        yield entry('one', noted)
        if (!isWhole) throw new Error('interrupted')
        yield entry('two', 'end')
      },
    })
  }
  await expect(write('correct horse battery', false)).rejects.toThrow('interrupted')
  await expect(write('wrong horse battery', true)).rejects.toThrow('another passphrase')
  expect((await write('correct horse battery', true)).bytes).toBeLessThan(110_000)
  const read: string[] = []
  for await (const { name, bytes } of readArchive(to, { identities: [], passphrases: ['correct horse battery'] }))
    read.push(name, (await Array.fromAsync(bytes)).join('').length > 0 ? 'whole' : 'empty')
  expect(read).toEqual(['one', 'whole', 'two', 'whole'])
})

test('two backups to one place do not write at the same time', () => {
  const home = fresh('home')
  mkdirSync(home, { recursive: true })
  using _ = new UnfinishedNotes(home, '/mnt/b')
  expect(() => new UnfinishedNotes(home, '/mnt/b')).toThrow('Another backup')
  new UnfinishedNotes(home, '/mnt/c')[Symbol.dispose]()
})

/** Text that no compression makes small. */
const noise = (bytes: number): string =>
  Array.from({ length: Math.ceil(bytes / 60_000) }, () =>
    crypto.getRandomValues(Buffer.alloc(45_000)).toString('base64'),
  ).join('')

const entry = (name: string, text: string): ArchiveEntry => ({
  name,
  size: text.length,
  bytes: (async function* () {
    yield Buffer.from(text)
  })(),
})

/** A whole archive with right checksums and one entry of a hostile name. */
async function hostileArchive(path: string, { name, kind }: { name: string; kind: string }) {
  const { headEntry, digestsEntry } = await import('../../src/app/backup/backup-format')
  const { SCHEMA_VERSION } = await import('../../src/store/migrations/known-migrations')
  const database = kind === 'sqlite' ? ('sqlite' as const) : ('postgres' as const)
  await writeArchive({
    to: path,
    encryptTo: null,
    signal: never,
    async *entries(digests) {
      yield headEntry({ version: '1', madeAt: '2026-01-01', database, schema: SCHEMA_VERSION })
      yield {
        name,
        size: 4,
        bytes: (async function* () {
          yield Buffer.from('evil')
        })(),
      }
      yield digestsEntry(digests)
    },
  })
}

test('a backup of one kind of database is refused by the other', async () => {
  const path = fresh('other-kind')
  mkdirSync(dirname(path), { recursive: true })
  await hostileArchive(path, { name: 'home/config.yaml', kind: 'postgres' })
  const config = { home: fresh('home'), databaseUrl: null }
  expect(await failureOf(restoreBackup({ from: path, config, keys: NO_KEYS, signal: never }))).toMatchObject({
    code: 'invalid',
    hint: expect.stringContaining('LODELINE_DATABASE_URL'),
  })
  expect(existsSync(config.home)).toBe(false)
})

test('while it is written, an encrypted archive has nothing plain on the disk', async () => {
  const to = fresh('archive.age')
  mkdirSync(dirname(to), { recursive: true })
  const looks: { name: string; isCipher: boolean; bytes: number }[] = []
  const look = () => {
    for (const name of readdirSync(dirname(to))) {
      const bytes = readFileSync(join(dirname(to), name))
      expect(bytes.includes(SECRET)).toBe(false)
      looks.push({ name, isCipher: bytes.subarray(0, 4).toString() === 'age-', bytes: bytes.length })
    }
  }
  const part = Buffer.concat([Buffer.from(SECRET), crypto.getRandomValues(Buffer.alloc(60_000))])
  const count = 400
  await writeArchive({
    to,
    encryptTo: { recipients: [key.recipient] },
    signal: never,
    async *entries() {
      yield {
        name: 'large',
        size: part.length * count,
        bytes: (async function* () {
          for (let n = 0; n < count; n++) {
            if (n % 50 === 0) look()
            yield part
          }
        })(),
      }
      look()
    },
  })
  // It was there and grew while it was written, and was never anything else.
  expect(looks.at(-1)?.bytes).toBeGreaterThan(1_000_000)
  expect(
    looks.every(({ name, isCipher, bytes }) => name.startsWith('archive.age.part-') && (isCipher || bytes === 0)),
  ).toBe(true)
  expect(readdirSync(dirname(to))).toEqual(['archive.age'])
})
