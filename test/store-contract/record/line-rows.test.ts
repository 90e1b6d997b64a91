import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type EventId, eventId, type SubagentId, sessionId, subagentId, toolUseId } from '../../../src/domain/ids'
import type { SessionRow } from '../../../src/domain/record/record-store'
import type { StoredSession } from '../../../src/domain/session/session-store'
import { readRows } from '../../../src/engine/conversation/rows'
import { uuidText } from '../../../src/store/sql/uuid'
import { failureOf, onEachDatabase } from '../databases'
import {
  freshId,
  type SampleSession,
  sampleEvent,
  sampleSession,
  sampleSubagent,
  sampleToolUse,
  sessionChange,
  subagentKeyOf,
} from '../sample'

onEachDatabase((database) => {
  const reads = () => database.store.conversations
  const stored = async (id: string): Promise<StoredSession> => {
    const session = await database.store.sessions.find(sessionId(id))
    if (session === undefined) throw new Error(`no session ${id}`)
    return session
  }
  type Asked = { from?: number; around?: EventId; limit?: number; of?: SubagentId | undefined }
  const rowsOf = async (session: StoredSession, { of, limit = 500, ...place }: Asked = {}) => {
    const agent = of === undefined ? null : await reads().findAgent(session, of)
    if (agent === undefined) throw new Error(`no agent ${of}`)
    return readRows(reads(), session, { agent, limit, ...place })
  }
  const texts = (page: { rows: { event: { text: string | null } }[] }) => page.rows.map(({ event }) => event.text)

  /** Lines of the main thread and of two agents, mixed; several have one time. Gives the texts of each by time, then by recording. */
  const mixed = async (count: number) => {
    const made = await database.store.write(async (tx) => {
      const session = await sampleSession(tx)
      const agents = [freshId('one'), freshId('two')]
      const keys = [
        await subagentKeyOf(tx.record, session, agents[0] ?? ''),
        await subagentKeyOf(tx.record, session, agents[1] ?? ''),
      ]
      const events = Array.from({ length: count }, (_, i) => {
        const whose = (i * 7) % 5
        // From a stream that names its call alone: not the main thread's, and nobody else's yet.
        const isLost = whose === 3
        return sampleEvent(session, {
          at: 1_000 + Math.floor(((i * 31) % count) / 3),
          text: `${i}`,
          subagentKey: whose < 2 ? (keys[whose] ?? null) : null,
          parentToolUseId: isLost ? 'call-of-somebody' : null,
        })
      })
      await tx.record.insertEvents(events)
      return { session, agents, events, keys }
    })
    const ordered = (isMine: (i: number) => boolean) =>
      made.events
        .map((event, i) => ({ event, i }))
        .filter(({ i }) => isMine((i * 7) % 5))
        .sort((a, b) => (a.event.at ?? 0) - (b.event.at ?? 0) || a.i - b.i)
        .map(({ event }) => ({ text: event.text, id: eventId(uuidText(event.uuid)) }))
    return {
      ...made,
      lines: new Map<string | undefined, { text: string | null; id: EventId }[]>([
        [undefined, ordered((whose) => whose === 2 || whose === 4)],
        [made.agents[0], ordered((whose) => whose === 0)],
        [made.agents[1], ordered((whose) => whose === 1)],
      ]),
    }
  }

  test('any window holds exactly the rows of its numbers, of the main thread and of each agent', async () => {
    const { session, agents, lines } = await mixed(1_200)
    const whole = await stored(session.id)
    for (const agent of [undefined, ...agents]) {
      const all = lines.get(agent) ?? []
      const of = agent === undefined ? undefined : subagentId(agent)
      const last = await rowsOf(whole, { of, limit: 20 })
      expect([last.total, last.from, last.found, texts(last)]).toEqual([
        all.length,
        all.length - 20,
        null,
        all.slice(-20).map(({ text }) => text),
      ])
      await fc.assert(
        fc.asyncProperty(
          fc.nat(all.length + 10),
          fc.integer({ min: 1, max: 120 }),
          fc.nat(all.length - 1),
          async (from, limit, place) => {
            const page = await rowsOf(whole, { of, from, limit })
            expect([page.total, page.from, page.found]).toEqual([all.length, Math.min(from, all.length), null])
            expect(texts(page)).toEqual(all.slice(from, from + limit).map(({ text }) => text))
            expect(page.rows.map(({ number }) => number)).toEqual(page.rows.map((_, i) => from + i))
            const around = all[place]?.id
            if (around === undefined) throw new Error('no such line')
            const near = await rowsOf(whole, { of, around, limit })
            const begin = Math.max(0, place - Math.floor(limit / 2))
            expect([near.total, near.from, near.found]).toEqual([all.length, begin, place])
            expect(texts(near)).toEqual(all.slice(begin, begin + limit).map(({ text }) => text))
          },
        ),
        { numRuns: 60 },
      )
    }
  })

  test('a session without lines has no rows', async () => {
    const { id } = await database.store.write((tx) => sampleSession(tx))
    for (const place of [{}, { from: 0 }, { from: 7 }])
      expect(await rowsOf(await stored(id), place)).toEqual({ total: 0, from: 0, found: null, rows: [], marks: [] })
  })

  test("a line of another agent, or of none yet, is refused with a word on whose it is; one that isn't there is not found", async () => {
    const { session, agents, lines } = await mixed(50)
    const whole = await stored(session.id)
    const [one, two] = agents.map((id) => subagentId(id))
    const first = (agent: string | undefined) => lines.get(agent)?.[0]?.id ?? eventId('')
    const failed = async (asked: Asked) => {
      const { code, hint } = await failureOf(rowsOf(whole, asked))
      return [code, hint]
    }
    expect(await failed({ around: first(two) })).toEqual(['invalid', `It belongs to subagentId ${two}.`])
    expect(await failed({ around: first(two), of: one })).toEqual(['invalid', `It belongs to subagentId ${two}.`])
    expect(await failed({ around: first(undefined), of: one })).toEqual([
      'invalid',
      'It belongs to the main thread: omit subagentId.',
    ])
    expect((await failed({ around: eventId(crypto.randomUUID()) }))[0]).toBe('not_found')
    expect((await failed({ around: first(undefined), from: 3 }))[0]).toBe('invalid')
    const lost = await database.store.write(async (tx) => {
      const event = sampleEvent(session, { parentToolUseId: 'call-of-somebody' })
      await tx.record.insertEvents([event])
      return eventId(uuidText(event.uuid))
    })
    expect((await failed({ around: lost }))[0]).toBe('invalid')
  })

  test('a call has its outcome and what it launched on its own row, its answer names the call', async () => {
    const { session, agent, shell } = await database.store.write(async (tx) => {
      const session = await sampleSession(tx)
      const [agent, shell] = [freshId('agent'), freshId('shell')]
      await tx.record.mergeToolUses([
        sampleToolUse(session, 'a', { name: 'Agent', calledAt: 1, endedAt: 4, isError: false }),
        sampleToolUse(session, 'b', { name: 'Bash', calledAt: 2, endedAt: 5, isError: true }),
        sampleToolUse(session, 'c', { name: 'Read', calledAt: 3 }),
      ])
      await tx.record.mergeSubagents([
        sampleSubagent(session, agent, { link: { toolUseId: 'a', evidence: 'meta' } }),
        sampleSubagent(session, shell, { kind: 'shell', link: { toolUseId: 'b', evidence: 'tool_result' } }),
      ])
      await tx.record.insertEvents([
        sampleEvent(session, { at: 1, type: 'tool_call', toolUseId: 'a', toolName: 'Agent' }),
        sampleEvent(session, { at: 2, type: 'tool_call', toolUseId: 'b', toolName: 'Bash', length: 77 }),
        sampleEvent(session, { at: 3, type: 'tool_call', toolUseId: 'c', toolName: 'Read' }),
        sampleEvent(session, { at: 4, type: 'tool_result', toolUseId: 'a' }),
        sampleEvent(session, { at: 5, type: 'tool_result', toolUseId: 'b' }),
        sampleEvent(session, { at: 6, type: 'tool_result', toolUseId: 'unheard of' }),
        sampleEvent(session, { at: 7, type: 'tool_call', toolUseId: null, toolName: 'X' }),
        sampleEvent(session, { at: 8, type: 'system', role: 'system' }),
      ])
      return { session, agent, shell }
    })
    const { rows } = await rowsOf(await stored(session.id))
    const call = (id: string, name: string | null, isAnswered: boolean, isError: boolean | null) => ({
      id: toolUseId(id),
      name,
      isAnswered,
      isError,
    })
    expect(rows.map((row) => [row.kind, row.call, row.launched.map(({ id }) => id as string)])).toEqual([
      ['tool', call('a', 'Agent', true, false), [agent]],
      ['tool', call('b', 'Bash', true, true), [shell]],
      ['tool', call('c', 'Read', false, null), []],
      ['answer', call('a', 'Agent', true, false), []],
      ['answer', call('b', 'Bash', true, true), []],
      ['answer', call('unheard of', null, true, null), []],
      ['tool', null, []],
      ['system', null, []],
    ])
    expect([rows[1]?.bytes, rows[0]?.launched[0]?.depth]).toEqual([77, 1])
  })

  test('a line that comes late shifts the numbers behind it, and so does one that turns out to be this thread’s', async () => {
    const { session, agent, line } = await database.store.write(async (tx) => {
      const session = await sampleSession(tx)
      const agent = freshId('agent')
      const subagentKey = await subagentKeyOf(tx.record, session, agent)
      const line = sampleEvent(session, { at: 5, text: 'moved', subagentKey, isMainFile: false })
      await tx.record.insertEvents([
        ...['a', 'b', 'c'].map((text, i) => sampleEvent(session, { at: 10 * (i + 1), text })),
        line,
      ])
      return { session, agent: subagentId(agent), line }
    })
    const whole = await stored(session.id)
    await database.store.write((tx) => tx.record.insertEvents([sampleEvent(session, { at: 15, text: 'late' })]))
    expect(texts(await rowsOf(whole))).toEqual(['a', 'late', 'b', 'c'])
    expect(texts(await rowsOf(whole, { of: agent }))).toEqual(['moved'])
    await database.store.write((tx) => tx.record.insertEvents([{ ...line, subagentKey: null, isMainFile: true }]))
    const after = await rowsOf(whole)
    expect([after.total, texts(after)]).toEqual([5, ['moved', 'a', 'late', 'b', 'c']])
    expect((await rowsOf(whole, { of: agent })).total).toBe(0)
  })

  test('forks and resumes are marked once, before the row that follows them, whatever the windows are', async () => {
    const { parent, forks, resumed } = await database.store.write(async (tx) => {
      const parent = await sampleSession(tx)
      const lines = Array.from({ length: 10 }, (_, i) => sampleEvent(parent, { at: 10 * (i + 1), text: `${i}` }))
      await tx.record.insertEvents(lines)
      const forks: { session: SampleSession; point: (typeof lines)[number]['uuid']; at: number }[] = []
      for (const after of [2, 4, 9]) {
        const session = await sampleSession(tx)
        forks.push({ session, point: lines[after]?.uuid ?? new Uint8Array(16), at: 10 * (after + 1) })
      }
      return { parent, forks, resumed: await sampleSession(tx) }
    })
    const merged = (made: SampleSession, more: Partial<SessionRow>): SessionRow => sessionChange(made.key, more)
    const origin = { id: parent.id, evidence: 'shares its lines' }
    await database.store.write((tx) =>
      tx.record.mergeSession([
        ...forks.map(({ session, point, at }) =>
          merged(session, { forkedFrom: origin, forkPoint: { uuid: point, at } }),
        ),
        merged(resumed, { resumedFrom: parent.id, startedAt: 65 }),
        merged(parent, { resumedFrom: 'somebody' }),
      ]),
    )
    const whole = await stored(parent.id)
    const ids = forks.map(({ session }) => session.id)
    const expected = [
      [0, 'resume', 'somebody', true],
      [3, 'fork', ids[0], false],
      [5, 'fork', ids[1], false],
      [6, 'resume', resumed.id, false],
      [10, 'fork', ids[2], false],
    ]
    const told = async (asked: Asked): Promise<unknown[]> =>
      (await rowsOf(whole, asked)).marks.map((mark) => [mark.before, mark.kind, mark.sessionId, mark.isOrigin])
    expect(await told({})).toEqual(expected)
    for (const size of [1, 2, 3, 4, 5, 9]) {
      const seen: unknown[] = []
      for (let from = 0; from < 10; from += size) seen.push(...(await told({ from, limit: size })))
      expect(seen).toEqual(expected)
    }
    expect(await told({ from: 10 })).toEqual([])
  })

  test('while lines come in, every answer is whole: no row twice, none left out, and the line asked for where it is said to be', async () => {
    const { session, events } = await database.store.write(async (tx) => {
      const session = await sampleSession(tx)
      const events = Array.from({ length: 40 }, (_, i) => sampleEvent(session, { at: 1_000 + 10 * i, text: `${i}` }))
      await tx.record.insertEvents(events)
      return { session, events }
    })
    const whole = await stored(session.id)
    const wanted = eventId(uuidText(events[20]?.uuid ?? new Uint8Array(16)))
    let isOver = false
    const writing = (async () => {
      for (let i = 0; i < 60; i++)
        await database.store.write((tx) =>
          tx.record.insertEvents([
            sampleEvent(session, { at: 900 - i, text: 'late' }),
            sampleEvent(session, { at: 2_000 + i, text: 'new' }),
          ]),
        )
    })().finally(() => {
      isOver = true
    })
    const places: Asked[] = [{}, { around: wanted }, { from: 10 }, { from: 35 }]
    const totals = new Set<number>()
    for (let round = 0; !isOver || round < 8; round++) {
      const page = await rowsOf(whole, { ...places[round % places.length], limit: 12 })
      totals.add(page.total)
      // Reads of SQLite never wait: the writer needs a turn of the loop.
      await new Promise((resolve) => setImmediate(resolve))
      // What came early goes to the front, and nothing of it is between the others.
      const lates = (page.total - 40) / 2
      expect(Number.isInteger(lates)).toBeTrue()
      for (const { number, event } of page.rows) {
        const own = number - lates
        expect(event.text).toBe(own < 0 ? 'late' : own < 40 ? `${own}` : 'new')
      }
      expect(page.rows.map(({ number }) => number)).toEqual(page.rows.map((_, i) => page.from + i))
      expect(new Set(page.rows.map(({ event }) => event.id)).size).toBe(Math.min(12, page.total - page.from))
      if (page.found !== null) expect(page.rows[page.found - page.from]?.event.id).toBe(wanted)
    }
    await writing
    expect(totals.size).toBeGreaterThan(1)
  })

  // PostgreSQL's planner goes by what it knows of the rows.
  if (database.kind === 'sqlite')
    test('rows are counted and passed over along an index, whatever else stands beside them', async () => {
      const { Database } = await import('bun:sqlite')
      const place = database.place
      if (!('path' in place) || place.path === undefined) throw new Error('no file')
      using db = new Database(place.path, { readonly: true })
      const plan = (statement: string) =>
        db
          .prepare<{ detail: string }, []>(`explain query plan ${statement}`)
          .all()
          .map(({ detail }) => detail)
          .join('\n')
      const mine = 'session_id = 1 and subagent_id is null and parent_tool_use_id is null and length >= 0'
      expect(plan(`select count(*) from conversation_events where ${mine}`)).toContain('conversation_events_main')
      expect(plan(`select id from conversation_events where ${mine} order by at, id limit 9 offset 9`)).toBe(
        'SEARCH conversation_events USING INDEX conversation_events_main (session_id=?)',
      )
      // Which is not for those that look for turns.
      const turns = `session_id = 1 and subagent_id is null and type in ('prompt', 'notice', 'compaction') and parent_tool_use_id is null`
      expect(
        plan(`select count(*) from conversation_events where ${turns} and at <= 9 and (at, id) < (9, 9)`),
      ).toContain('conversation_events_turn')
    })
})
