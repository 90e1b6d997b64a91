/** The collector, the recorder and the database together: what agents write to disk is in the record, byte for byte. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { openDatabase } from '../../src/app/threads/database'
import { createRecordEngine, type KeptStore, type RecordEngine } from '../../src/app/threads/record-engine'
import { type Collector, createCollector } from '../../src/collector/collector'
import { sessionId } from '../../src/domain/ids'
import { claudeCodeFiles } from '../../src/harness/claude-code/files'
import { appendLine } from '../../src/util/append-line'
import { currentHookJournal, encodeHookLine, hookJournalFolder } from '../../src/util/hook-journal'
import { fakeLog } from '../fake-recorder'

const FIXTURES = resolve(import.meta.dir, '../fixtures/claude-code/transcripts/2.1.328')
const SCENARIOS = ['subagents', 'todos', 'compact-auto', 'forked', 'killed-and-resumed']

let base: string
let projects: string
let closers: (() => Promise<void>)[]

beforeEach(() => {
  base = mkdtempSync('/tmp/ld-')
  projects = join(base, 'projects', '-home-user-project')
  closers = []
})
afterEach(async () => {
  for (const close of closers.reverse()) await close()
  rmSync(base, { recursive: true, force: true })
})

/** A store and an engine of their own on the database of `home`, as a process has them. */
async function open(home: string): Promise<{ store: KeptStore; engine: RecordEngine }> {
  mkdirSync(join(base, home), { recursive: true })
  const store = await openDatabase({ home: join(base, home), databaseUrl: null }, { mode: 'read-write', migrate: true })
  const engine = createRecordEngine(store, { name: 'a'.repeat(32), hostname: 'here' })
  closers.push(() => engine.close())
  return { store, engine }
}

async function follow(engine: RecordEngine, store: KeptStore, isWatching = true): Promise<Collector> {
  const collector = createCollector({
    sources: [{ files: claudeCodeFiles, roots: [base] }],
    recorder: engine,
    hookJournal: { agent: 'claude-code', folder: hookJournalFolder(base), rotateBytes: 2_000 },
    log: fakeLog(),
    rescanMs: 100,
    spacingMs: 1,
    isWatching,
    async loadKnown() {
      const open = await store.journals.listOpen('a'.repeat(32))
      return new Map(open.map(({ path, size, inode, grewAt }) => [path, { size, inode, recordedAt: grewAt ?? 0 }]))
    },
  })
  closers.push(() => collector.stop())
  await collector.start()
  return collector
}

/** Files of the fixtures by where they go, their bytes in pieces that end anywhere. */
function pieces(): { path: string; parts: Uint8Array[] }[] {
  return SCENARIOS.flatMap((scenario) =>
    readdirSync(join(FIXTURES, scenario), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('/tasks'))
      .map((entry) => {
        const source = join(entry.parentPath, entry.name)
        const bytes = readFileSync(source)
        const parts: Uint8Array[] = []
        // Odd sizes, the same in every run: lines are cut in their middle, and inside characters.
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const size = 700 + ((i * 7_919) % 9_001)
          parts.push(bytes.subarray(at, at + size))
          at += size
        }
        return { path: join(projects, relative(join(FIXTURES, scenario), source)), parts }
      }),
  )
}

async function storedBytes(store: KeptStore, session: string): Promise<Map<string, string>> {
  const stored = new Map<string, string>()
  for (const { path, incarnations } of await store.journals.listBySession(sessionId(session))) {
    const chunks: Uint8Array[] = []
    for await (const chunk of store.journals.read(incarnations[0]?.id ?? 0)) chunks.push(chunk)
    stored.set(path, Buffer.concat(chunks).toString('latin1'))
  }
  return stored
}

async function eventIds(store: KeptStore, session: string): Promise<string[]> {
  const { rows } = await store.events.list({ sessionId: sessionId(session) }, { limit: 1_000 })
  return rows.map(({ id, type, inherited, parentToolUseId }) => `${id} ${type} ${inherited} ${parentToolUseId}`).sort()
}

async function sessionIds(store: KeptStore): Promise<string[]> {
  return (await store.sessions.list({}, { limit: 100 })).rows.map(({ id }) => id as string).sort()
}

/** Every journal of the folder is in the record as it stands, and says what a record of the finished files says. */
async function expectRecorded(store: KeptStore): Promise<void> {
  const { store: fresh, engine } = await open('fresh')
  const files = pieces().map(({ path }) => path)
  for (const path of files) {
    const ref = claudeCodeFiles.classify(path)
    if (ref !== null) await engine.recordFile(ref)
  }
  const sessions = await sessionIds(fresh)
  expect(sessions).toHaveLength(SCENARIOS.length)
  expect(await sessionIds(store)).toEqual(sessions)
  const stored = new Map<string, string>()
  for (const session of sessions) {
    for (const [path, bytes] of await storedBytes(store, session)) stored.set(path, bytes)
    expect(await eventIds(store, session)).toEqual(await eventIds(fresh, session))
  }
  expect([...stored.keys()].sort()).toEqual(files.sort())
  for (const [path, bytes] of stored) expect(bytes === readFileSync(path, 'latin1')).toBe(true)
}

const breath = () => new Promise<void>((resolve) => setImmediate(resolve))

test.each([
  ['by notifications', true],
  ['by looking alone', false],
])('conversations that grow side by side, cut anywhere, are recorded exactly, %s', async (_name, isWatching) => {
  const { store, engine } = await open('home')
  const collector = await follow(engine, store, isWatching)
  const files = pieces()
  for (let round = 0; files.some(({ parts }) => parts.length > round); round++) {
    for (const { path, parts } of files) {
      const part = parts[round]
      if (part === undefined) continue
      mkdirSync(dirname(path), { recursive: true })
      appendFileSync(path, part)
    }
    await breath()
  }
  await collector.catchUp()
  await expectRecorded(store)
})

test('two collectors with a record in common, and one that comes back later, record each byte once', async () => {
  const [one, two] = [await open('home'), await open('home')]
  const first = await follow(one.engine, one.store)
  const second = await follow(two.engine, two.store)
  const files = pieces()
  for (const { path, parts } of files.slice(0, -2)) {
    mkdirSync(dirname(path), { recursive: true })
    for (const part of parts) {
      appendFileSync(path, part)
      await breath()
    }
  }
  await Promise.all([first.catchUp(), second.catchUp()])
  await first.stop()
  await second.stop()
  for (const { path, parts } of files.slice(-2)) {
    mkdirSync(dirname(path), { recursive: true })
    for (const part of parts) appendFileSync(path, part)
  }
  const third = await open('home')
  const collector = await follow(third.engine, third.store)
  await collector.ready
  // Files that did not change meanwhile are not asked for again, but for those whose last change was in the very last moment.
  expect(collector.stats().recordings).toBeLessThan(files.length)
  await expectRecorded(third.store)
})

test('files that are rewritten, replaced and removed under the collector are kept as they were and as they are', async () => {
  const { store, engine } = await open('home')
  const collector = await follow(engine, store)
  for (const { path, parts } of pieces()) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, Buffer.concat(parts).subarray(0, 5_000))
    await collector.catchUp()
    if (path.endsWith('.jsonl')) {
      writeFileSync(path, Buffer.concat(parts).subarray(200))
      await collector.catchUp()
    }
    writeFileSync(`${path}.tmp`, Buffer.concat(parts))
    renameSync(`${path}.tmp`, path)
  }
  await collector.catchUp()
  await expectRecorded(store)
  const [session = ''] = await sessionIds(store)
  const main = claudeCodeFiles.classify(join(projects, `${session}.jsonl`))
  rmSync(main?.path ?? '')
  await collector.catchUp()
  const journal = (await store.journals.listBySession(sessionId(session))).find(({ path }) => path === main?.path)
  expect(journal?.incarnations.length).toBeGreaterThanOrEqual(3)
  expect(journal?.incarnations[0]?.closeReason).toBe('deleted')
})

test('hooks of many files of the journal reach their session', async () => {
  const { store, engine } = await open('home')
  const collector = await follow(engine, store)
  const id = '11111111-1111-4111-8111-111111111111'
  for (const event of [...Array.from({ length: 20 }, () => 'UserPromptSubmit'), 'Stop']) {
    const payload = JSON.stringify({ session_id: id, hook_event_name: event, cwd: '/x', prompt: 'y'.repeat(300) })
    const line = encodeHookLine({ at: Date.now(), pid: 1, ppid: 1, env: {}, isCut: false }, Buffer.from(payload))
    appendLine(currentHookJournal(hookJournalFolder(base)), line)
    await collector.catchUp()
  }
  expect(readdirSync(hookJournalFolder(base)).length).toBeGreaterThan(2)
  const session = await store.sessions.find(sessionId(id))
  expect(session?.signals).toMatchObject({ activity: 'idle', activityEvidence: 'hook:Stop' })
  expect(statSync(hookJournalFolder(base)).mode & 0o777).toBe(0o700)
})
