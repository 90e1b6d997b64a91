/** Files of another host are in the record as they stand there, whatever happens on the way. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { createRecordEngine } from '../../src/app/threads/record-engine'
import { createCollector } from '../../src/collector/collector'
import type { JournalRef } from '../../src/domain/harness/harness'
import { sessionId } from '../../src/domain/ids'
import { claudeCodeFiles } from '../../src/harness/claude-code/files'
import { fakeLog } from '../fake-recorder'
import { prompt, uuid } from '../record/recording'
import { failureOf, onEachDatabase } from '../store-contract/databases'
import { lost, RemoteWorld, THERE } from './remote-world'

const FIXTURES = resolve(import.meta.dir, '../fixtures/claude-code/transcripts/2.1.328/subagents')

onEachDatabase((database) => {
  let world: RemoteWorld
  let session: string
  let path: string

  beforeEach(() => {
    world = new RemoteWorld(database.store)
    session = crypto.randomUUID()
    path = world.transcript(session)
  })
  afterEach(() => world.remove())

  const refOf = (file: string): JournalRef => {
    const ref = claudeCodeFiles.classify(file)
    if (ref === null) throw new Error(`${file} is no journal`)
    return ref
  }
  const line = (text: string): string => prompt(session, text, crypto.randomUUID())
  const lines = (count: number, text = 'x'): string => Array.from({ length: count }, () => line(text)).join('')
  const texts = async () => (await world.incarnations(path)).map(({ text }) => text)
  const eventCount = async () =>
    (await world.store.events.list({ sessionId: sessionId(session) }, { limit: 1_000 })).rows.length

  test('what an agent writes there is here byte for byte, by host, with its sub-agents', async () => {
    const files = readdirSync(FIXTURES, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('/tasks'))
      .map((entry) => {
        const source = join(entry.parentPath, entry.name)
        return { path: join(dirname(path), relative(FIXTURES, source)), bytes: readFileSync(source) }
      })
    const collector = createCollector({
      sources: [{ files: claudeCodeFiles, roots: [world.root] }],
      recorder: world.recorder(5_000),
      hookJournal: null,
      log: fakeLog(),
      rescanMs: 100,
      spacingMs: 1,
    })
    await collector.start()
    try {
      for (let at = 0; files.some(({ bytes }) => bytes.length > at); at += 20_001)
        for (const file of files) {
          mkdirSync(dirname(file.path), { recursive: true })
          appendFileSync(file.path, file.bytes.subarray(at, at + 20_001))
        }
      await collector.catchUp()
    } finally {
      await collector.stop()
    }
    for (const file of files) {
      const [newest, ...older] = await world.incarnations(file.path)
      expect(newest?.text === file.bytes.toString('latin1')).toBe(true)
      expect(older).toEqual([])
    }
    const main = files.map((file) => refOf(file.path)).find(({ kind }) => kind === 'transcript')
    const found = await world.store.sessions.find(sessionId(main?.sessionId ?? ''))
    expect(found).toMatchObject({ host: THERE.hostname })
    expect(found?.counts.subagents).toBeGreaterThan(1)
    expect(existsSync(join(world.home, 'hosts'))).toBe(true)
  })

  test('nothing is sent twice: an unchanged file costs no request, and one without bytes after a restart of either side', async () => {
    const recorder = world.recorder()
    writeFileSync(path, lines(8))
    expect(await recorder.recordFile(refOf(path))).toMatchObject({ state: 'grown', eventsAdded: 8 })
    expect(world.sent().bytes).toBe(readFileSync(path).length)
    expect(await recorder.recordFile(refOf(path))).toMatchObject({ state: 'unchanged', bytesAdded: 0 })
    expect(world.sent()).toEqual({ requests: 0, bytes: 0 })
    world.restartServer()
    appendFileSync(path, line('after the server'))
    await recorder.recordFile(refOf(path))
    expect(world.sent().bytes).toBe(line('after the server').length)
    const again = world.recorder()
    expect(await again.recordFile(refOf(path))).toMatchObject({ state: 'unchanged', bytesAdded: 0, eventsAdded: 0 })
    expect(world.sent()).toEqual({ requests: 1, bytes: 0 })
    appendFileSync(path, line('after the worker'))
    await world.recorder().recordFile(refOf(path))
    expect(world.sent().bytes).toBe(line('after the worker').length)
    expect(await texts()).toEqual([readFileSync(path, 'latin1')])
    expect(await eventCount()).toBe(10)
  })

  test('a file that its CLI packed is sent as what it unpacks to, once, and goes on when it is plain again', async () => {
    const recorder = world.recorder(4_000)
    writeFileSync(path, lines(40))
    const whole = readFileSync(path)
    await recorder.recordFile(refOf(path))
    world.sent()
    writeFileSync(`${path}.zst`, Bun.zstdCompressSync(whole))
    rmSync(path)
    for (const from of [recorder, recorder, world.recorder()])
      expect(await from.recordFile(refOf(path))).toMatchObject({ state: 'unchanged', bytesAdded: 0 })
    expect(world.sent().bytes).toBe(0)
    const more = line('unpacked')
    writeFileSync(path, Buffer.concat([whole, Buffer.from(more)]))
    rmSync(`${path}.zst`)
    expect(await recorder.recordFile(refOf(path))).toMatchObject({ state: 'grown', eventsAdded: 1 })
    expect(world.sent().bytes).toBe(more.length)
    expect(await texts()).toEqual([readFileSync(path, 'latin1')])
    writeFileSync(`${path}.zst`, 'damaged')
    rmSync(path)
    expect(await recorder.recordFile(refOf(path))).toMatchObject({ state: 'missing' })
  })

  test('of a packed file that is cut, the first lines are sent, and take the place of no more', async () => {
    const whole = Buffer.from(Array.from({ length: 5_000 }, (_, n) => line(`${Bun.hash(`${n}`)}`)).join(''))
    const packed = Bun.zstdCompressSync(whole)
    const cut = packed.subarray(0, Math.floor(packed.length / 2))
    writeFileSync(`${path}.zst`, cut)
    const recorder = world.recorder()
    const first = await recorder.recordFile(refOf(path))
    expect(first).toMatchObject({ state: 'grown', reason: "it can't be unpacked: its end is missing" })
    writeFileSync(`${path}.zst`, packed)
    await recorder.recordFile(refOf(path))
    expect(await texts()).toEqual([whole.toString('latin1')])
    const other = Bun.zstdCompressSync(
      Buffer.from(whole.toString('latin1').replaceAll('"x"', '"y"').replaceAll('1', '2')),
    )
    for (const bytes of [cut, other.subarray(0, Math.floor(other.length / 2))]) {
      writeFileSync(`${path}.zst`, bytes)
      for (const from of [recorder, world.recorder()])
        expect(await from.recordFile(refOf(path))).toMatchObject({ state: 'unchanged', eventsAdded: 0 })
      expect(await texts()).toEqual([whole.toString('latin1')])
    }
  })

  describe('a file that is no longer what was sent begins a new incarnation, and the old one stays', () => {
    const CHANGES: [string, () => void][] = [
      ['rewritten', () => writeFileSync(path, lines(9))],
      [
        'changed in place at its beginning',
        () => writeFileSync(path, readFileSync(path, 'utf8').replace(/"x"/, '"y"')),
      ],
      ['cut', () => truncateSync(path, 900)],
      ['emptied', () => truncateSync(path, 0)],
      [
        'replaced',
        () => {
          writeFileSync(`${path}.new`, lines(20))
          renameSync(`${path}.new`, path)
        },
      ],
    ]
    test.each(CHANGES)('%s, also while nobody looked', async (_name, change) => {
      for (const isWatched of [true, false]) {
        rmSync(path, { force: true })
        const recorder = world.recorder()
        const old = lines(12)
        writeFileSync(path, old)
        await recorder.recordFile(refOf(path))
        const before = (await texts()).length
        change()
        const present = readFileSync(path, 'latin1')
        await (isWatched ? recorder : world.recorder()).recordFile(refOf(path))
        appendFileSync(path, line('more'))
        expect((await recorder.recordFile(refOf(path))).state).not.toBe('unchanged')
        const stored = await world.incarnations(path)
        expect(stored[0]?.text).toStartWith(present)
        expect(stored[0]?.text).toBe(readFileSync(path, 'latin1'))
        // The next bytes of an unknown emptied file report it.
        expect(stored.slice(0, stored.length - before + 1).map(({ text }) => text)).toContain(old)
      }
    })
  })

  test('the same bytes under another inode go on in the same incarnation', async () => {
    const recorder = world.recorder(1_000_000)
    writeFileSync(path, lines(12))
    await recorder.recordFile(refOf(path))
    writeFileSync(`${path}.new`, readFileSync(path, 'utf8') + line('more'))
    renameSync(`${path}.new`, path)
    await recorder.recordFile(refOf(path))
    expect(await texts()).toEqual([readFileSync(path, 'latin1')])
  })

  test('a wire that breaks at any request, before or after it arrived, loses nothing and doubles nothing', async () => {
    const recorder = world.recorder(300)
    let turns = 0
    world.onWire = () => {
      // Two of three requests fail, half of them after the server took the bytes.
      if (++turns % 4 === 1 || turns % 4 === 0) throw lost()
    }
    for (let round = 0; round < 6; round++) {
      appendFileSync(path, lines(2, `round ${round}`))
      for (let tries = 0; ; tries++) {
        try {
          await recorder.recordFile(refOf(path))
          break
        } catch (error) {
          expect(error).toMatchObject({ code: 'unavailable' })
          if (tries > 200) throw error
        }
      }
    }
    expect(await texts()).toEqual([readFileSync(path, 'latin1')])
    expect(await eventCount()).toBe(12)
  })

  test('two processes that send the same file at once do not disturb one another', async () => {
    const recorders = [world.recorder(400), world.recorder(300)]
    for (let round = 0; round < 8; round++) {
      appendFileSync(path, lines(3, `round ${round}`))
      await Promise.all(recorders.map((recorder) => recorder.recordFile(refOf(path))))
    }
    const stored = await texts()
    expect(stored[0]).toBe(readFileSync(path, 'latin1'))
    expect(await eventCount()).toBe(24)
  })

  test('a server that lost its copies, or never had them, sends for nothing that is recorded', async () => {
    const recorder = world.recorder()
    writeFileSync(path, lines(30))
    await recorder.recordFile(refOf(path))
    for (const home of [world.home, join(world.base, 'second server')]) {
      rmSync(join(world.home, 'hosts'), { recursive: true, force: true })
      world.restartServer(home)
      world.sent()
      const added = line('more')
      appendFileSync(path, added)
      await recorder.recordFile(refOf(path))
      expect(world.sent().bytes).toBeLessThanOrEqual(added.length * 2)
    }
    // The first server again, whose copy is behind by now.
    world.restartServer()
    appendFileSync(path, line('last'))
    await recorder.recordFile(refOf(path))
    expect(await texts()).toEqual([readFileSync(path, 'latin1')])
    expect(await eventCount()).toBe(33)
  })

  describe('a file that another server follows on its own host is one file in the record', () => {
    test.each([0, 12])('when what is sent comes late, after %i lines that were sent', async (sentBefore) => {
      const follower = createRecordEngine(world.store, THERE, join(world.base, 'follower'))
      const recorder = world.recorder()
      writeFileSync(path, lines(sentBefore))
      await recorder.recordFile(refOf(path))
      for (let round = 0; round < 4; round++) {
        appendFileSync(path, lines(3, `round ${round}`))
        // While a piece of the file as it was is on its way, the file grows, and the other server is faster.
        world.onWire = (when) => {
          if (when === 'before') appendFileSync(path, line('meanwhile'))
        }
        world.onArrival = async () => void (await follower.recordFile(refOf(path)))
        await recorder.recordFile(refOf(path))
        world.onWire = () => {}
        world.onArrival = async () => {}
        await recorder.recordFile(refOf(path))
      }
      expect(await texts()).toEqual([readFileSync(path, 'latin1')])
      // It is cut at last: that is no delay.
      truncateSync(path, 900)
      await recorder.recordFile(refOf(path))
      expect((await texts())[0]).toBe(readFileSync(path, 'latin1'))
      expect(await texts()).toHaveLength(2)
    })

    test('when both record at the same time', async () => {
      const follower = createRecordEngine(world.store, THERE, join(world.base, 'follower'))
      const recorder = world.recorder(300)
      for (let round = 0; round < 20; round++) {
        appendFileSync(path, lines(3, `round ${round}`))
        await Promise.all([recorder.recordFile(refOf(path)), follower.recordFile(refOf(path))])
      }
      expect(await texts()).toEqual([readFileSync(path, 'latin1')])
      expect(await eventCount()).toBe(60)
    })
  })

  test('a file that is gone there is closed here; what was recorded stays', async () => {
    const recorder = world.recorder()
    const text = lines(3)
    writeFileSync(path, text)
    await recorder.recordFile(refOf(path))
    rmSync(path)
    expect(await recorder.recordFile(refOf(path))).toMatchObject({ state: 'missing', reason: 'ENOENT' })
    await recorder.recordGone(refOf(path))
    expect(await world.incarnations(path)).toEqual([{ closeReason: 'deleted', text }])
    writeFileSync(path, text)
    await recorder.recordFile(refOf(path))
    expect((await texts()).length).toBe(2)
  })

  test('a forgotten session is not taken again, and no copy of it is left', async () => {
    const recorder = world.recorder()
    writeFileSync(path, lines(3, 'the-secret'))
    await recorder.recordFile(refOf(path))
    expect(secretFiles(world.home)).not.toEqual([])
    expect(await world.engine.forget(sessionId(session))).not.toBeNull()
    expect(secretFiles(world.home)).toEqual([])
    appendFileSync(path, line('the-secret'))
    expect(await recorder.recordFile(refOf(path))).toMatchObject({ state: 'forgotten' })
    world.sent()
    expect(await recorder.recordFile(refOf(path))).toMatchObject({ state: 'forgotten' })
    expect(await world.recorder().recordFile(refOf(path))).toMatchObject({ state: 'forgotten' })
    expect(secretFiles(world.home)).toEqual([])
    expect(await eventCount()).toBe(0)
  })

  function secretFiles(folder: string): string[] {
    if (!existsSync(folder)) return []
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => readFileSync(file, 'latin1').includes('the-secret'))
  }

  test('a folder of another host is not looked into on this one, also by a rebuild', async () => {
    const cwd = resolve(import.meta.dir)
    writeFileSync(path, line('x').replace('/home/user/project', cwd))
    await world.recorder().recordFile(refOf(path))
    const found = async () => (await world.store.sessions.find(sessionId(session)))?.project
    const before = await found()
    expect(before).not.toBe(null)
    expect([cwd, 'collector']).toContain(before ?? '')
    await world.engine.rebuild()
    expect(await found()).toBe(before ?? '')
    expect(await eventCount()).toBe(1)
  })

  test('paths and names from there touch nothing outside of the copies, and nonsense is refused in words', async () => {
    const good = {
      kind: 'transcript',
      sessionId: session,
      subagentId: null,
      offset: 0,
      before: null,
      isGone: false,
      isAnew: false,
    } as const
    const bytes = Buffer.from(line('x'))
    const append = (file: string, host: string = THERE.name) =>
      world.files.appendRemote({ name: host, hostname: 'x' }, { ...good, path: file }, bytes)
    const name = `${session}.jsonl`
    for (const file of [
      name,
      `../${name}`,
      '',
      '/',
      '/etc/passwd',
      `/a\0b/${name}`,
      `/x/agent-1/${'y'.repeat(300)}.jsonl`,
    ])
      expect(await failureOf(append(file))).toMatchObject({ code: 'invalid', hint: expect.any(String) })
    const kind = { ...good, kind: 'tasks', path: `/p/${name}` } as const
    expect(await failureOf(world.files.appendRemote(THERE, kind, bytes))).toMatchObject({ code: 'invalid' })
    for (const [at, host] of ['..', '/etc', '../../../tmp', 'con', 'x'.repeat(200), 'ü/\\'].entries())
      await append(`/p/../../../../${at}/../${uuid()}.jsonl`, `${host}`)
    const made = readdirSync(world.base, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    expect(made).toHaveLength(6)
    for (const entry of made) {
      expect(entry.parentPath).toStartWith(join(world.home, 'hosts/'))
      expect(entry.name).toMatch(/^[0-9a-f]{64}$/)
    }
  })

  test('streams and hooks have their own ways and are left alone', async () => {
    const ref = refOf(path)
    const recorder = world.recorder()
    for (const kind of ['stream', 'hooks'] as const) {
      expect(await recorder.recordFile({ ...ref, kind })).toMatchObject({ state: 'unchanged' })
      await recorder.recordGone({ ...ref, kind })
    }
    expect(world.sent()).toEqual({ requests: 0, bytes: 0 })
  })

  test("a machine adds nothing to another's session, whether its path or its lines name it, and what is read stays its own", async () => {
    const text = lines(3)
    writeFileSync(path, text)
    await world.recorder().recordFile(refOf(path))
    const evil = { name: 'e'.repeat(32), hostname: 'evil' }
    const forged = Buffer.from(line('FORGED'))
    const file = { sessionId: session, subagentId: null, offset: 0, before: null, isGone: false, isAnew: false }
    for (const [kind, at] of [
      ['transcript', `/home/e/.claude/projects/-p/${session}.jsonl`],
      ['subagent', '/home/e/.claude/projects/-p/agent-472265ed.jsonl'],
    ] as const)
      expect(await failureOf(world.files.appendRemote(evil, { ...file, kind, path: at }, forged, true))).toMatchObject({
        code: 'forbidden',
        details: { isForeign: true },
      })
    expect(await eventCount()).toBe(3)
    const journals = await world.store.journals.listBySession(sessionId(session))
    expect(new Set(journals.map(({ hostName }) => hostName))).toEqual(new Set([THERE.name]))
    // Its own machine goes on, and one that nobody knows is whose it is first seen at.
    appendFileSync(path, line('on'))
    await world.recorder().recordFile(refOf(path))
    expect(await eventCount()).toBe(4)
    const snapshot = await world.files.snapshot(sessionId(session))
    expect(snapshot === null || !Buffer.from(snapshot.bytes).includes('FORGED')).toBe(true)
  })

  test('a new client is used from then on', async () => {
    const recorder = world.recorder()
    recorder.use({ files: { append: () => Promise.reject(lost()) } })
    writeFileSync(path, lines(1))
    expect(await failureOf(recorder.recordFile(refOf(path)))).toMatchObject({ code: 'unavailable' })
    recorder.use(world.client)
    expect(await recorder.recordFile(refOf(path))).toMatchObject({ state: 'grown', eventsAdded: 1 })
  })
})
