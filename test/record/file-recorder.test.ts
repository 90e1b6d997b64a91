import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import { sessionId } from '../../src/domain/ids'
import { onEachDatabase } from '../store-contract/databases'
import { bytesOf, prompt, recorderOn, transcript, uuid, write } from './recording'

let root: string
beforeEach(() => {
  root = mkdtempSync('/tmp/ld-')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const newId = (): string => crypto.randomUUID()

onEachDatabase((database) => {
  const journalOf = async (session: string) => {
    const [journal] = await database.store.journals.listBySession(sessionId(session))
    if (!journal) throw new Error('no journal')
    return journal
  }
  const textsOf = async (session: string) =>
    (await database.store.events.list({ sessionId: sessionId(session) }, { limit: 1_000 })).rows.map((row) => row.text)

  test('stores a file byte for byte, half a line at its end included, and parses that once it is whole', async () => {
    const session = newId()
    const ref = transcript(root, session)
    const recorder = recorderOn(database.store)
    const first = prompt(session, 'first')
    const second = prompt(session, 'second')
    write(ref, first + second.slice(0, 50))
    expect(await recorder.recordFile(ref)).toMatchObject({ state: 'grown', eventsAdded: 1, pendingBytes: 50 })
    expect(await recorder.recordFile(ref)).toMatchObject({ state: 'unchanged', pendingBytes: 50 })
    appendFileSync(ref.path, second.slice(50))
    expect(await recorder.recordFile(ref)).toMatchObject({ eventsAdded: 1, pendingBytes: 0, malformedAdded: 0 })
    expect(await textsOf(session)).toEqual(['first', 'second'])
    const [incarnation] = (await journalOf(session)).incarnations
    expect(await bytesOf(database.store, incarnation?.id ?? 0)).toEqual(readFileSync(ref.path))
  })

  test('goes on where another process stopped', async () => {
    const session = newId()
    const ref = transcript(root, session)
    write(ref, prompt(session, 'one'))
    await recorderOn(database.store).recordFile(ref)
    appendFileSync(ref.path, prompt(session, 'two'))
    expect(await recorderOn(database.store).recordFile(ref)).toMatchObject({ state: 'grown', eventsAdded: 1 })
    expect((await journalOf(session)).incarnations).toHaveLength(1)
  })

  test('rescues a record that was glued onto half a line, and keeps and counts the half', async () => {
    const session = newId()
    const ref = transcript(root, session)
    const half = prompt(session, 'never finished').slice(0, 80)
    write(ref, prompt(session, 'before') + half + prompt(session, 'after the crash'))
    expect(await recorderOn(database.store).recordFile(ref)).toMatchObject({ eventsAdded: 2, malformedAdded: 1 })
    expect(await textsOf(session)).toEqual(['before', 'after the crash'])
    expect((await database.store.sessions.find(sessionId(session)))?.counts.malformedLines).toBe(1)
  })

  test('begins a new incarnation when a file is rewritten in place, and keeps the old one', async () => {
    const session = newId()
    const ref = transcript(root, session)
    const recorder = recorderOn(database.store)
    const old = prompt(session, 'one') + prompt(session, 'two')
    write(ref, old)
    await recorder.recordFile(ref)
    const now = `${prompt(session, 'the summary')}${'{"type":"mode","mode":"normal"}\n'.repeat(30)}`
    write(ref, now)
    expect(await recorder.recordFile(ref)).toMatchObject({ state: 'restarted', eventsAdded: 1 })
    const { incarnations } = await journalOf(session)
    expect(incarnations.map(({ number, closeReason }) => [number, closeReason])).toEqual([
      [2, null],
      [1, 'rewritten'],
    ])
    const [newest, first] = incarnations
    expect((await bytesOf(database.store, newest?.id ?? 0)).toString()).toBe(now)
    expect((await bytesOf(database.store, first?.id ?? 0)).toString()).toBe(old)
    expect(await textsOf(session)).toEqual(['one', 'two', 'the summary'])
  })

  test('begins a new incarnation when a file shrinks, and another when it is replaced by other bytes', async () => {
    const session = newId()
    const ref = transcript(root, session)
    const recorder = recorderOn(database.store)
    const one = prompt(session, 'one')
    write(ref, one + prompt(session, 'two'))
    await recorder.recordFile(ref)
    truncateSync(ref.path, one.length - 5)
    expect(await recorder.recordFile(ref)).toMatchObject({ state: 'restarted', pendingBytes: one.length - 5 })
    const other = { ...ref, path: `${ref.path}.new` }
    write(other, prompt(session, 'three') + prompt(session, 'four'))
    renameSync(other.path, ref.path)
    expect(await recorder.recordFile(ref)).toMatchObject({ state: 'restarted', eventsAdded: 2 })
    const reasons = (await journalOf(session)).incarnations.map(({ closeReason }) => closeReason)
    expect(reasons).toEqual([null, 'replaced', 'truncated'])
  })

  test('goes on in the same incarnation when the same bytes come back under another inode', async () => {
    const session = newId()
    const ref = transcript(root, session)
    write(ref, prompt(session, 'one') + prompt(session, 'two'))
    await recorderOn(database.store).recordFile(ref)
    copyFileSync(ref.path, `${ref.path}.copy`)
    renameSync(`${ref.path}.copy`, ref.path)
    appendFileSync(ref.path, prompt(session, 'three'))
    const recorder = recorderOn(database.store)
    expect(await recorder.recordFile(ref)).toMatchObject({ state: 'grown', eventsAdded: 1 })
    expect(await recorder.recordFile(ref)).toMatchObject({ state: 'unchanged' })
    expect((await journalOf(session)).incarnations).toHaveLength(1)
  })

  test('a deleted file closes its incarnation and stays in the record', async () => {
    const session = newId()
    const ref = transcript(root, session)
    const recorder = recorderOn(database.store)
    write(ref, prompt(session, 'one'))
    await recorder.recordFile(ref)
    rmSync(ref.path)
    expect(await recorder.recordFile(ref)).toMatchObject({ state: 'missing', reason: 'ENOENT' })
    await recorder.recordGone(ref)
    expect((await journalOf(session)).incarnations[0]?.closeReason).toBe('deleted')
    expect(await textsOf(session)).toEqual(['one'])
    write(ref, prompt(session, 'again'))
    expect(await recorder.recordFile(ref)).toMatchObject({ eventsAdded: 1 })
    expect((await journalOf(session)).incarnations).toHaveLength(2)
  })

  test('recorders that race for one growing file store each byte and each event once', async () => {
    const session = newId()
    const ref = transcript(root, session)
    const lines = Array.from({ length: 60 }, (_, n) => prompt(session, `line ${n}`))
    write(ref, '')
    const stores = [database.store, await database.open(), await database.open()]
    try {
      const recorders = stores.map((store) => recorderOn(store, 900))
      let added = 0
      for (let at = 0; at < lines.length; at += 4) {
        appendFileSync(ref.path, lines.slice(at, at + 4).join(''))
        const outcomes = await Promise.all(recorders.map((recorder) => recorder.recordFile(ref)))
        added += outcomes.reduce((sum, outcome) => sum + outcome.eventsAdded, 0)
      }
      expect(added).toBe(lines.length)
      const { incarnations } = await journalOf(session)
      expect(incarnations).toHaveLength(1)
      expect(await bytesOf(database.store, incarnations[0]?.id ?? 0)).toEqual(readFileSync(ref.path))
      expect((await database.store.sessions.find(sessionId(session)))?.counts.events).toBe(lines.length)
    } finally {
      await Promise.all(stores.slice(1).map((store) => store.close()))
    }
  })

  test('reads a line of 20 MB', async () => {
    const session = newId()
    const ref = transcript(root, session)
    write(ref, prompt(session, 'x'.repeat(20_000_000)) + prompt(session, 'small'))
    expect(await recorderOn(database.store).recordFile(ref)).toMatchObject({ eventsAdded: 2, malformedAdded: 0 })
  })

  test('a line over the limit is kept and counted, and the lines after it are read', async () => {
    const session = newId()
    const ref = transcript(root, session)
    write(ref, prompt(session, 'a') + prompt(session, 'x'.repeat(20_000)) + prompt(session, 'b'))
    const outcome = await recorderOn(database.store, 1_000, 4_000).recordFile(ref)
    expect(outcome.malformedAdded).toBeGreaterThan(0)
    expect(await textsOf(session)).toEqual(['a', 'b'])
    const [incarnation] = (await journalOf(session)).incarnations
    expect(await bytesOf(database.store, incarnation?.id ?? 0)).toEqual(readFileSync(ref.path))
  })

  test('invalid UTF-8 and NUL are stored as they are and shown safely', async () => {
    const session = newId()
    const ref = transcript(root, session)
    const bad = Buffer.concat([
      Buffer.from(prompt(session, 'A')),
      Buffer.from(prompt(session, 'MARK').replace('MARK', '\\u0000nul')),
      Buffer.from([0xff, 0xfe, 0x0a]),
      Buffer.from(prompt(session, 'é').replace('é', '\u0080'), 'latin1'),
    ])
    write(ref, bad)
    expect(await recorderOn(database.store).recordFile(ref)).toMatchObject({ eventsAdded: 3, malformedAdded: 1 })
    const [incarnation] = (await journalOf(session)).incarnations
    expect(await bytesOf(database.store, incarnation?.id ?? 0)).toEqual(bad)
    for (const text of await textsOf(session)) expect(text).not.toContain('\u0000')
  })

  test('an empty file says nothing, and what is no file gives a reason', async () => {
    const session = newId()
    const ref = transcript(root, session)
    write(ref, '')
    expect(await recorderOn(database.store).recordFile(ref)).toMatchObject({ state: 'unchanged' })
    expect(await database.store.sessions.find(sessionId(session))).toBeUndefined()
    const folder = { ...ref, path: root }
    expect(await recorderOn(database.store).recordFile(folder)).toMatchObject({ state: 'missing', reason: 'ENOTREG' })
    symlinkSync('/nowhere', join(root, 'dangling'))
    const dangling = { ...ref, path: join(root, 'dangling') }
    expect(await recorderOn(database.store).recordFile(dangling)).toMatchObject({ state: 'missing' })
  })

  test('a forgotten session does not come back, from its file or another', async () => {
    const session = newId()
    const ref = transcript(root, session)
    const recorder = recorderOn(database.store)
    write(ref, prompt(session, 'secret'))
    await recorder.recordFile(ref)
    const stored = await database.store.sessions.find(sessionId(session))
    if (!stored) throw new Error('not recorded')
    await database.store.write((tx) => tx.sessions.forget(stored.key))
    appendFileSync(ref.path, prompt(session, 'more'))
    expect(await recorderOn(database.store).recordFile(ref)).toMatchObject({ state: 'forgotten' })
    const elsewhere = { ...ref, path: join(root, 'elsewhere.jsonl') }
    write(elsewhere, prompt(session, 'secret'))
    expect(await recorderOn(database.store).recordFile(elsewhere)).toMatchObject({ state: 'forgotten' })
    expect(await database.store.sessions.find(sessionId(session))).toBeUndefined()
  })

  test('the same line in two files of a session is one event, and the main file says whose it is', async () => {
    const session = newId()
    const main = transcript(root, session)
    const sub = {
      ...main,
      kind: 'subagent' as const,
      agentId: 'a0123456789abcdef',
      path: join(root, 'projects', '-home-user-project', session, 'subagents', 'agent-a0123456789abcdef.jsonl'),
    }
    const shared = uuid()
    write(sub, prompt(session, 'copied', shared))
    write(main, prompt(session, 'copied', shared))
    const recorder = recorderOn(database.store)
    await recorder.recordFile(sub)
    await recorder.recordFile(main)
    const { rows } = await database.store.events.list({ sessionId: sessionId(session) }, { limit: 10 })
    expect(rows.map((row) => [row.text, row.subagentId])).toEqual([['copied', null]])
  })
})
