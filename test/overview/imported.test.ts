import { afterAll, expect, test } from 'bun:test'
import { appendFileSync, rmSync } from 'node:fs'
import { createRecordEngine } from '../../src/app/threads/record-engine'
import { sessionStatus } from '../../src/domain/session/session-status'
import { readOverview } from '../../src/engine/overview/overview'
import { HOST, prompt, transcript, uuid, write } from '../record/recording'
import { onEachDatabase, temporaryFolder } from '../store-contract/databases'
import { freshId } from '../store-contract/sample'
import { addRun, addSession, ago, DAY, hearOf, MINUTE, NOW, SETTINGS } from './scene'

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A transcript that ends in the middle of its turn: with a call, and an agent in the background of which nobody heard the end. */
function cutShort(session: string, at: number): string {
  const call = {
    parentUuid: null,
    isSidechain: false,
    sessionId: session,
    type: 'assistant',
    message: {
      id: freshId('msg'),
      role: 'assistant',
      model: 'claude-opus-5-5',
      content: [{ type: 'tool_use', id: freshId('toolu'), name: 'Bash', input: { command: 'npm test' } }],
      stop_reason: 'tool_use',
    },
    uuid: uuid(),
    timestamp: new Date(at).toISOString(),
  }
  return `${prompt(session, 'Mend the parser', uuid(), at - 1_000)}${JSON.stringify(call)}\n`
}

onEachDatabase((database) => {
  const engineOn = () => createRecordEngine(database.store, HOST)
  const setUp = () => {
    const folder = temporaryFolder()
    folders.push(folder)
    const id = freshId('session')
    return { id, ref: transcript(folder, id) }
  }
  const needsOf = async (id: string, now: number) => {
    const { needs } = await readOverview(database.store, now, SETTINGS, { since: now - DAY, limit: 200 })
    return needs.filter(({ sessionId }) => sessionId === id).map(({ kind }) => kind)
  }
  const statusOf = async (id: string, now: number) => {
    const session = await database.store.sessions.find(id as never)
    if (session === undefined) throw new Error(`no session ${id}`)
    return sessionStatus(session.signals, now).status
  }

  test('a session that was imported needs nobody, lost or stuck, and is listed as lost', async () => {
    const now = Date.now()
    for (const silence of [3 * 60 * MINUTE, 20 * MINUTE]) {
      const { id, ref } = setUp()
      write(ref, cutShort(id, now - silence))
      await engineOn().recordFile(ref)
      expect(await needsOf(id, now)).toEqual([])
      expect(await needsOf(id, now + 2 * 60 * MINUTE)).toEqual([])
      expect(await statusOf(id, now + 2 * 60 * MINUTE)).toBe('lost')
      // The journals are read anew as they were recorded.
      await engineOn().rebuild()
      expect(await needsOf(id, now + 2 * 60 * MINUTE)).toEqual([])
    }
  })

  test('a session that was recorded as it was written needs a person when it is lost, also after a rebuild', async () => {
    const now = Date.now()
    const { id, ref } = setUp()
    write(ref, cutShort(id, now))
    await engineOn().recordFile(ref)
    expect(await needsOf(id, now + 20 * MINUTE)).toEqual(['stuck'])
    expect(await needsOf(id, now + 2 * 60 * MINUTE)).toEqual(['lost'])
    await engineOn().rebuild()
    expect(await needsOf(id, now + 2 * 60 * MINUTE)).toEqual(['lost'])
  })

  test('a session whose process lived when it was first followed needs a person when that is gone', async () => {
    const now = Date.now()
    const { id, ref } = setUp()
    write(ref, cutShort(id, now - 40 * MINUTE))
    const engine = engineOn()
    await engine.recordFile(ref)
    expect(await needsOf(id, now)).toEqual([])
    const process = { sessionId: id, id: 4_711, started: null }
    await engine.setProcesses([{ ...process, state: 'alive', at: now }])
    expect(await needsOf(id, now)).toEqual(['stuck'])
    await engine.setProcesses([{ ...process, state: 'gone', at: now + 1_000 }])
    expect(await needsOf(id, now + MINUTE)).toEqual(['lost'])
    await engine.rebuild()
    expect(await needsOf(id, now + MINUTE)).toEqual(['lost'])
  })

  test('a file that a dead process left behind makes no need of an imported session', async () => {
    const now = Date.now()
    const { id, ref } = setUp()
    write(ref, cutShort(id, now - 40 * MINUTE))
    const engine = engineOn()
    await engine.recordFile(ref)
    await engine.setProcesses([{ sessionId: id, id: 4_711, started: null, state: 'gone', at: now }])
    expect(await statusOf(id, now)).toBe('lost')
    expect(await needsOf(id, now)).toEqual([])
  })

  test('results that nobody read and questions in imported sessions are nobody’s need', async () => {
    const { store } = database
    const state = { activity: 'waiting', at: ago(30 * MINUTE) } as const
    for (const isImported of [true, false]) {
      const session = await addSession(store, { ...state, isImported })
      await addRun(store, session, { startedAt: ago(DAY), endedAt: ago(DAY - MINUTE) })
      const { needs } = await readOverview(store, NOW, SETTINGS, { since: ago(DAY), limit: 200 })
      const kinds = needs.filter(({ sessionId }) => sessionId === session.id).map(({ kind }) => kind)
      expect([isImported, kinds]).toEqual([isImported, isImported ? [] : ['waiting']])
      await hearOf(store, session, { activity: 'ended', at: ago(MINUTE), isImported })
      const later = await readOverview(store, NOW, SETTINGS, { since: ago(DAY), limit: 200 })
      const left = later.needs.filter(({ sessionId }) => sessionId === session.id).map(({ kind }) => kind)
      expect([isImported, left]).toEqual([isImported, isImported ? [] : ['unread']])
    }
  })

  test('an imported session that is taken up again counts like any other', async () => {
    const now = Date.now()
    const { id, ref } = setUp()
    write(ref, cutShort(id, now - 5 * 60 * MINUTE))
    const engine = engineOn()
    await engine.recordFile(ref)
    appendFileSync(ref.path, cutShort(id, now))
    await engine.recordFile(ref)
    expect(await needsOf(id, now + 2 * 60 * MINUTE)).toEqual(['lost'])
  })
})
