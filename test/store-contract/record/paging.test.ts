import { expect, test } from 'bun:test'
import { sessionId } from '../../../src/domain/ids'
import type { Page, PageRequest } from '../../../src/domain/port'
import { failureOf, onEachDatabase } from '../databases'
import { freshId, sampleEvent, sampleSession, sampleUsage, sessionChange } from '../sample'

/** Walks a list to its end. */
async function walk<T>(list: (page: PageRequest) => Promise<Page<T>>, limit: number): Promise<T[]> {
  const rows: T[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await list(cursor === undefined ? { limit } : { limit, cursor })
    expect(page.rows.length).toBeLessThanOrEqual(limit)
    rows.push(...page.rows)
    if (page.nextCursor === null) return rows
    cursor = page.nextCursor
  }
}

onEachDatabase((database) => {
  test('sessions page by their last event, those with equal or no time each once', async () => {
    const { store } = database
    const made = await store.write(async (tx) => {
      const sessions = []
      for (let i = 0; i < 25; i++) {
        const session = await sampleSession(tx)
        // Three share each time; every fifth has none.
        const at = i % 5 === 0 ? null : 1_000 + Math.floor(i / 3)
        if (at !== null) await tx.record.mergeSession([sessionTime(session.key, at)])
        sessions.push({ id: sessionId(session.id), at })
      }
      return sessions
    })
    const whole = (await store.sessions.list({}, { limit: 1_000 })).rows
    expect(whole.length).toBe(25)
    const times = whole.map((row) => (row.lastEventAt === null ? 0 : Date.parse(row.lastEventAt)))
    expect(times).toEqual(times.toSorted((a, b) => b - a))
    expect(new Set(whole.map((row) => row.id))).toEqual(new Set(made.map(({ id }) => id)))
    for (const limit of [1, 4, 25, 26]) {
      const paged = await walk((page) => store.sessions.list({}, page), limit)
      expect(paged.map((row) => row.id)).toEqual(whole.map((row) => row.id))
    }
  })

  test('a page tells usage and cost of each session, main thread apart', async () => {
    const { store } = database
    const id = await store.write(async (tx) => {
      const session = await sampleSession(tx)
      const { key } = await tx.record.subagent(session.key, 'agent-1', 'agent')
      await tx.record.mergeUsage([
        sampleUsage(session, { messageId: 'm1', inputTokens: 10 }),
        sampleUsage(session, { messageId: 'm2', inputTokens: 5, subagentKey: key, isMainFile: false }),
      ])
      return sessionId(session.id)
    })
    const found = (await store.sessions.list({}, { limit: 1_000 })).rows.find((row) => row.id === id)
    expect(found?.usage).toEqual({ inputTokens: 15, outputTokens: 4, cacheReadTokens: 6, cacheCreationTokens: 8 })
    expect(found?.usageMain).toEqual({ inputTokens: 10, outputTokens: 2, cacheReadTokens: 3, cacheCreationTokens: 4 })
    expect(found?.costUsd).toBeGreaterThan(0)
    expect(found?.isEstimate).toBe(false)

    await store.write(async (tx) => {
      const session = await tx.record.session('claude-code', id, await tx.record.host('installation-1', 'box'))
      if (session === undefined) throw new Error('no session')
      const sample = { key: session.key, id, incarnation: 0 as never }
      await tx.record.mergeUsage([sampleUsage(sample, { messageId: 'm3', model: 'no-such-model-1' })])
    })
    // The sum is of what has a price, and says that something has none.
    expect(await store.sessions.find(id)).toMatchObject({ costUsd: found?.costUsd, isEstimate: true })
  })

  test('events page by time and then by recording', async () => {
    const { store } = database
    const session = await store.write(async (tx) => {
      const made = await sampleSession(tx)
      await tx.record.insertEvents(
        Array.from({ length: 30 }, (_, i) => sampleEvent(made, { at: (i * 7) % 4, text: `${i}` })),
      )
      return made
    })
    const filter = { sessionId: sessionId(session.id) }
    const whole = (await store.events.list(filter, { limit: 1_000 })).rows
    const expected = Array.from({ length: 30 }, (_, i) => i).sort((a, b) => ((a * 7) % 4) - ((b * 7) % 4) || a - b)
    expect(whole.map((event) => event.text)).toEqual(expected.map(String))
    for (const limit of [1, 7, 30]) {
      const paged = await walk((page) => store.events.list(filter, page), limit)
      expect(paged.map((event) => event.id)).toEqual(whole.map((event) => event.id))
    }
  })

  test('events of all sessions page in the order of recording', async () => {
    const { store } = database
    const whole = (await store.events.list({}, { limit: 1_000 })).rows
    const paged = await walk((page) => store.events.list({}, page), 7)
    expect(paged.map((event) => event.id)).toEqual(whole.map((event) => event.id))
  })

  test('a page is stable while newer rows arrive', async () => {
    const { store } = database
    const session = await store.write(async (tx) => {
      const made = await sampleSession(tx)
      await tx.record.insertEvents(Array.from({ length: 6 }, (_, i) => sampleEvent(made, { at: i, text: `${i}` })))
      return made
    })
    const filter = { sessionId: sessionId(session.id) }
    const first = await store.events.list(filter, { limit: 3 })
    await store.write((tx) => tx.record.insertEvents([sampleEvent(session, { at: 0, text: 'late, but old' })]))
    const second = await store.events.list(filter, { limit: 3, cursor: first.nextCursor ?? '' })
    expect([...first.rows, ...second.rows].map((event) => event.text)).toEqual(['0', '1', '2', '3', '4', '5'])
  })

  test('a cursor of another list, another filter or nobody is refused', async () => {
    const { store } = database
    await store.write(async (tx) => {
      await sampleSession(tx)
      await sampleSession(tx)
    })
    const cursor = (await store.sessions.list({}, { limit: 1 })).nextCursor ?? ''
    const wrong: [() => Promise<unknown>][] = [
      [() => store.sessions.list({ agent: 'claude-code' }, { limit: 1, cursor })],
      [() => store.events.list({}, { limit: 1, cursor })],
      [() => store.sessions.list({}, { limit: 1, cursor: `${cursor.slice(0, -2)}xx` })],
      [() => store.sessions.list({}, { limit: 1, cursor: freshId('nonsense') })],
      [() => store.sessions.list({}, { limit: 1, cursor: '' })],
      [() => store.sessions.list({}, { limit: 1, cursor: Buffer.from('["a",{},1e999]').toString('base64url') })],
    ]
    for (const [ask] of wrong) expect((await failureOf(ask())).code).toBe('invalid')
  })

  test('a limit outside 1 to 1,000 is refused', async () => {
    for (const limit of [0, -1, 1_001, 1.5, Number.NaN]) {
      expect((await failureOf(database.store.sessions.list({}, { limit }))).code).toBe('invalid')
      expect((await failureOf(database.store.events.list({}, { limit }))).code).toBe('invalid')
    }
  })
})

const sessionTime = (sessionKey: Parameters<typeof sampleEvent>[0]['key'], lastEventAt: number) =>
  sessionChange(sessionKey, { lastEventAt })
