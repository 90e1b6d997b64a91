import { expect, test } from 'bun:test'
import { feedSeq, sessionId, subagentId, toolUseId } from '../../src/domain/ids'
import { failureOf, onEachDatabase } from './databases'
import { followFeed } from './follow-feed'
import { freshId, sampleEvent, sampleHost, sampleSession, sampleSubagent } from './sample'

/** Texts that broke one layer or another somewhere. */
const TEXTS: [string, string][] = [
  ['empty', ''],
  ['a lone surrogate', 'before\ud800after'],
  ['emoji', '👩‍👩‍👧 family, é, ﬃ, ‮reversed'],
  ['SQL', `'); drop table sessions; --`],
  ['parameters', '$1 ?1 :name @x %s'],
  ['JSON', '{"a":"\\u0000\\ud800"}'],
  ['a megabyte', 'x'.repeat(1_048_576)],
  ['line ends', 'a\r\nb\u2028c\u0085d'],
]

onEachDatabase((database) => {
  for (const [name, text] of TEXTS) {
    test(`text comes back as it was, but for lone surrogates: ${name}`, async () => {
      const { store } = database
      const tail = text.length > 1_000 ? 'long' : text
      const id = freshId(`id ${tail}`)
      const session = await store.write(async (tx) => {
        const made = await sampleSession(tx, { id })
        await tx.record.insertEvents([sampleEvent(made, { text, toolUseId: `toolu ${tail}` })])
        await tx.record.mergeSubagents([sampleSubagent(made, `agent ${tail}`, { description: text, prompt: text })])
        return made
      })
      const clean = text.toWellFormed()
      const page = await store.events.list({ sessionId: sessionId(session.id) }, { limit: 10 })
      expect(page.rows[0]?.text).toBe(clean)
      expect((await store.sessions.find(sessionId(id)))?.id).toBe(sessionId(id.toWellFormed()))
      expect((await store.subagents.list(sessionId(id)))[0]?.description).toBe(clean)
      expect((await store.events.list({ subagentId: subagentId(`agent ${tail}`) }, { limit: 5 })).rows).toEqual([])
      await store.events.search(text.slice(0, 5_000), { limit: 5 })
      await store.events.list({ parentToolUseId: toolUseId(text) }, { limit: 5 })
      await store.sessions.matchPrefix(text.slice(0, 100))
      await store.sessions.list({ project: text, under: text }, { limit: 5 })
      expect(await store.sessions.count()).toBeGreaterThan(0)
    })
  }

  test('integers up to 2^53 - 1 are exact; one beyond is refused, not rounded', async () => {
    const largest = Number.MAX_SAFE_INTEGER
    const session = await database.store.write(async (tx) => {
      const made = await sampleSession(tx)
      await tx.record.insertEvents([sampleEvent(made, { offset: largest, at: 8.64e15, length: 1 })])
      await tx.sessions.setProcess(made.key, 1, { id: largest, started: null, state: 'alive', at: largest })
      return made
    })
    const found = await database.store.sessions.find(sessionId(session.id))
    expect(found?.signals).toMatchObject({ processId: largest, processAt: largest })
    const [event] = (await database.store.events.list({ sessionId: sessionId(session.id) }, { limit: 1 })).rows
    if (event === undefined) throw new Error('no event')
    expect(event.at).toBe('+275760-09-13T00:00:00.000Z')
    expect((await database.store.events.locate(sessionId(session.id), event.id))?.offset).toBe(largest)

    for (const at of [largest + 1, Number.NaN, Number.POSITIVE_INFINITY]) {
      const error = await failureOf(
        database.store.write((tx) =>
          tx.sessions.setProcess(session.key, 1, { id: 1, started: null, state: 'alive', at }),
        ),
      )
      expect(error.code).toBe('invalid')
    }
    const same = await database.store.sessions.find(sessionId(session.id))
    expect(same?.signals.processAt).toBe(largest)
  })

  test('bytes come back as bytes', async () => {
    const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 7) % 256)
    const session = await database.store.write((tx) =>
      sampleSession(tx, { lines: [Buffer.from(bytes).toString('latin1')] }),
    )
    const [journal] = await database.store.journals.listBySession(sessionId(session.id))
    const parts: Uint8Array[] = []
    for await (const part of database.store.journals.read(journal?.incarnations[0]?.id ?? 0)) parts.push(part)
    expect(Buffer.concat(parts).toString('utf8')).toBe(`${Buffer.from(bytes).toString('latin1')}\n`)
  })

  test('ids that are no uuid find nothing', async () => {
    const session = await database.store.write((tx) => sampleSession(tx))
    for (const id of ['', 'x', '../../etc/passwd', '0'.repeat(33), `' or 1=1 --`]) {
      expect(await database.store.events.find(sessionId(session.id), id as never)).toBeUndefined()
      expect(await database.store.events.locate(sessionId(session.id), id as never)).toBeUndefined()
    }
  })

  test('NUL in what a caller asks for is no error, and in what a unit writes becomes U+FFFD', async () => {
    const { store } = database
    const session = await store.write(async (tx) => {
      const made = await sampleSession(tx)
      await tx.sessions.setProcess(made.key, 1, { id: 1, started: 'a\u0000b', state: 'alive', at: 1 })
      await tx.appendFeed('session.updated', { key: made.key, id: 'a\u0000b' as never }, { text: 'a\u0000b' })
      return made
    })
    expect(await store.sessions.find('a\u0000b' as never)).toBeUndefined()
    expect(await store.sessions.matchPrefix('abcd\u0000')).toEqual([])
    expect((await store.events.search('a\u0000b', { limit: 5 })).hits).toEqual([])
    expect((await store.sessions.list({ project: '\u0000', under: '/\u0000' }, { limit: 5 })).rows).toEqual([])
    expect((await store.events.list({ sessionId: sessionId(session.id), type: '\u0000' }, { limit: 5 })).rows).toEqual(
      [],
    )
    const [entry] = await followFeed(store, feedSeq(0), (all) => all.length > 0)
    expect(entry).toMatchObject({ sessionId: 'a\ufffdb', data: { text: 'a\u0000b' } })
  })

  test('paths and names of projects may hold anything', async () => {
    const root = `/work/'"; $1 é/x`
    await database.store.write(async (tx) => {
      const session = await sampleSession(tx)
      const project = await tx.record.project(await sampleHost(tx.record), root, null, 'na"me')
      await tx.record.setSessionProject(session.key, project as never)
    })
    for (const project of [root, 'na"me']) {
      const shown = await database.store.sessions.list({ project }, { limit: 1_000 })
      expect(shown.rows.map((row) => row.project)).toEqual([root])
    }
  })
})
