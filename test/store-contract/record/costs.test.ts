import { expect, test } from 'bun:test'
import type { CostRequest, Costs } from '../../../src/domain/cost/cost'
import { costOf } from '../../../src/domain/cost/price'
import type { Usage } from '../../../src/domain/cost/usage'
import { readTimeZone, type TimeZone, UTC } from '../../../src/domain/cost/zone-days'
import { type SessionId, sessionId, taskId } from '../../../src/domain/ids'
import { COST_GROUPS } from '../../../src/domain/overview/tree-entry'
import type { StoredSession } from '../../../src/domain/session/session-store'
import type { Store } from '../../../src/domain/store'
import { openStore } from '../../../src/store/open'
import { failureOf, make, onEachDatabase } from '../databases'
import { freshId, sampleHost, sampleSession, sampleSubagent, sampleUsage, subagentKeyOf } from '../sample'
import { addAgent, addTask, sampleAttempt } from '../tasks-sample'
import { HOUR, makeWorld } from '../tree-world'

const tokens = (usage: Usage): number =>
  usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheCreationTokens

const sum = (store: Store, request: Partial<CostRequest>): Promise<Costs> =>
  store.costs.sum({ by: 'model', timeZone: UTC, limit: 1_000, ...request })

function zoneOf(name: string): TimeZone {
  const zone = readTimeZone(name)
  if (zone === undefined) throw new Error(`${name} is not known here`)
  return zone
}

/** Days of one session there, with their messages. */
const daysIn = async (store: Store, session: SessionId, zone: string) =>
  (await sum(store, { by: 'day', sessionId: session, timeZone: zoneOf(zone) })).rows.map((row) => [
    row.key,
    row.messages,
  ])

/** What rows come to together, to a millionth of a dollar. */
const together = ({ rows }: Costs) => ({
  tokens: rows.reduce((all, { usage }) => all + tokens(usage), 0),
  messages: rows.reduce((all, { messages }) => all + messages, 0),
  microUsd: Math.round(rows.reduce((all, { costUsd }) => all + (costUsd ?? 0), 0) * 1e6),
})
const whole = ({ total }: Costs) => ({
  tokens: tokens(total.usage),
  messages: total.messages,
  microUsd: Math.round((total.costUsd ?? 0) * 1e6),
})

onEachDatabase((database) => {
  const inWorld = async (
    seed: number,
    check: (store: Store, sessions: StoredSession[], now: number) => Promise<void>,
  ) => {
    const { place, remove } = await make(database.kind)
    const store = await openStore({ ...place, mode: 'read-write', migrate: true })
    try {
      const { now } = await makeWorld(store, seed)
      await check(store, (await store.sessions.list({}, { limit: 1_000 })).rows, now)
    } finally {
      await store.close()
      await remove()
    }
  }

  test("by whatever they are grouped, costs are the sessions' own", async () => {
    await inWorld(21, async (store, sessions) => {
      const own = sessions.reduce((all, { usage }) => all + tokens(usage), 0)
      expect(own).toBeGreaterThan(0)
      for (const by of COST_GROUPS) {
        const costs = await sum(store, { by })
        expect([by, together(costs)]).toEqual([by, whole(costs)])
        expect([by, whole(costs).tokens]).toEqual([by, own])
        expect(new Set(costs.rows.map(({ key }) => key)).size).toBe(costs.rows.length)
        expect(costs.unpriced).toEqual(['nobody-knows-1'])
        expect(costs.isCut).toBe(false)
      }
      const bySession = new Map((await sum(store, { by: 'session' })).rows.map((row) => [row.sessionId as string, row]))
      for (const { id, usage, costUsd } of sessions) {
        const row = bySession.get(id)
        expect([id, row?.usage ?? { ...usage }]).toEqual([id, usage])
        // A session's own cost is not known where a model of it has no price.
        if (costUsd !== null && costUsd > 0) expect(row?.costUsd).toBeCloseTo(costUsd, 9)
      }
    })
  })

  test('parts of the time, of the projects, of the models and of the tasks are the whole', async () => {
    await inWorld(22, async (store, sessions, now) => {
      const all = whole(await sum(store, {}))
      const parts = async (requests: Partial<CostRequest>[]) => {
        const some = await Promise.all(requests.map((request) => sum(store, request).then(whole)))
        return {
          tokens: some.reduce((total, one) => total + one.tokens, 0),
          messages: some.reduce((total, one) => total + one.messages, 0),
        }
      }
      const expected = { tokens: all.tokens, messages: all.messages }
      const days = await sum(store, { by: 'day' })
      const unknown = days.rows.find(({ key }) => key === '')
      const at = now - 30 * HOUR
      const timed = await parts([{ until: at }, { since: at }])
      expect(
        timed.tokens +
          tokens(unknown?.usage ?? { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 }),
      ).toBe(all.tokens)
      const projects = (await sum(store, { by: 'project' })).rows.map(({ key }) => key.slice('project:'.length))
      expect(await parts(projects.map((key) => ({ project: key === 'none' ? null : key })))).toEqual(expected)
      const models = (await sum(store, { by: 'model' })).rows
      expect(await parts(models.map(({ key }) => ({ model: key })))).toEqual(expected)
      expect(await parts(sessions.map(({ id }) => ({ sessionId: id })))).toEqual(expected)
      const tasks = (await sum(store, { by: 'task' })).rows
      expect(tasks.length).toBeGreaterThan(2)
      for (const row of tasks) {
        if (row.taskId === null) continue
        for (const by of COST_GROUPS)
          expect([row.taskId, by, whole(await sum(store, { by, taskId: row.taskId })).tokens]).toEqual([
            row.taskId,
            by,
            tokens(row.usage),
          ])
      }
    })
  })

  test('a session that went through two tasks is of each while it had it', async () => {
    const { store } = database
    const id = freshId('session')
    await store.write(async (tx) => {
      const session = await sampleSession(tx, { id })
      const at = (time: number | null, inputTokens: number) =>
        sampleUsage(session, { at: time, inputTokens, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 })
      const now = tx.now
      await tx.record.mergeUsage([at(null, 1), at(now - HOUR, 10), at(now + HOUR, 100), at(now + 3 * HOUR, 1_000)])
    })
    const agent = await addAgent(store)
    const [first, second] = [await addTask(store), await addTask(store)]
    const now = Date.now()
    for (const [task, startedAt] of [
      [first, now],
      [second, now + 2 * HOUR],
    ] as const)
      await store.write(async ({ tasks }) => {
        const key = await tasks.insertAttempt(sampleAttempt(task, agent.key))
        await tasks.updateAttempt(key, {
          startedAt,
          endedAt: startedAt + 1,
          conversation: {
            rung: 'native',
            sessionId: sessionId(id),
            resumedSessionId: null,
            forked: false,
            forkPoint: null,
            whyNot: [],
          },
        })
      })
    const { rows } = await sum(store, { by: 'task', sessionId: sessionId(id) })
    expect(rows.map((row) => [row.taskId as string, row.usage.inputTokens])).toEqual([
      [second.id, 1_000],
      [first.id, 111],
    ])
  })

  test('a day begins where the person is', async () => {
    const { store } = database
    const session = await store.write(async (tx) => {
      const made = await sampleSession(tx)
      const at = (time: string) => sampleUsage(made, { at: Date.parse(time) })
      await tx.record.mergeUsage([
        at('2026-03-01T23:30:00Z'),
        at('2026-03-02T00:30:00Z'),
        at('1969-12-31T23:30:00Z'),
        at('2026-03-02T23:59:59.999Z'),
        sampleUsage(made, { at: null }),
      ])
      return sessionId(made.id)
    })
    expect(await daysIn(store, session, 'UTC')).toEqual([
      ['2026-03-02', 2],
      ['2026-03-01', 1],
      ['1969-12-31', 1],
      ['', 1],
    ])
    expect(await daysIn(store, session, 'Europe/Berlin')).toEqual([
      ['2026-03-03', 1],
      ['2026-03-02', 2],
      ['1970-01-01', 1],
      ['', 1],
    ])
    expect(await daysIn(store, session, 'Atlantic/Azores')).toEqual([
      ['2026-03-02', 1],
      ['2026-03-01', 2],
      ['1969-12-31', 1],
      ['', 1],
    ])
  })

  test('half past eleven at night is of its own day before and after a change of the clock', async () => {
    const { store } = database
    const at = (time: string, model?: string) => ({ at: Date.parse(time), ...(model !== undefined && { model }) })
    const times = [
      at('2026-03-28T23:30:00+01:00'),
      at('2026-03-29T23:30:00+02:00'),
      at('2026-03-29T23:45:00+02:00'),
      at('2026-03-29T00:15:00+01:00', 'claude-haiku-4-5'),
      at('2026-10-24T23:30:00+02:00'),
      at('2026-10-25T00:00:00+02:00'),
      at('2026-10-25T23:30:00+01:00'),
      at('2026-10-26T00:00:00+01:00'),
    ]
    const session = await store.write(async (tx) => {
      const made = await sampleSession(tx)
      await tx.record.mergeUsage(times.map((own, n) => sampleUsage(made, { ...own, inputTokens: 10 ** n })))
      return sessionId(made.id)
    })
    expect(await daysIn(store, session, 'Europe/Berlin')).toEqual([
      ['2026-10-26', 1],
      ['2026-10-25', 2],
      ['2026-10-24', 1],
      ['2026-03-29', 3],
      ['2026-03-28', 1],
    ])
    const { rows, total } = await sum(store, { by: 'day', sessionId: session, timeZone: zoneOf('Europe/Berlin') })
    expect(rows.map(({ usage }) => usage.inputTokens)).toEqual([10_000_000, 1_100_000, 10_000, 1_110, 1])
    expect(rows.map(({ lastAt }) => Date.parse(lastAt ?? ''))).toEqual([7, 6, 4, 2, 0].map((n) => times[n]?.at ?? 0))
    expect(total.messages).toBe(times.length)
    expect(await daysIn(store, session, 'UTC')).toEqual([
      ['2026-10-25', 2],
      ['2026-10-24', 2],
      ['2026-03-29', 2],
      ['2026-03-28', 2],
    ])
  })

  test('agents are told apart by their type, and the main thread is one row', async () => {
    const { store } = database
    const session = await store.write(async (tx) => {
      const made = await sampleSession(tx)
      const usage = []
      for (const [id, type] of [
        ['a1', 'explorer'],
        ['a2', 'explorer'],
        ['a3', null],
        ['a4', 'x:y'],
      ] as const) {
        const key = await subagentKeyOf(tx.record, made, id)
        await tx.record.mergeSubagents([sampleSubagent(made, id, { type })])
        usage.push(sampleUsage(made, { subagentKey: key }))
      }
      await tx.record.mergeUsage([...usage, sampleUsage(made, {}), sampleUsage(made, {})])
      return sessionId(made.id)
    })
    const { rows } = await sum(store, { by: 'subagent', sessionId: session })
    expect(new Map(rows.map(({ label, messages }) => [label, messages]))).toEqual(
      new Map([
        ['main thread', 2],
        ['explorer', 2],
        ['agent of no known type', 1],
        ['x:y', 1],
      ]),
    )
  })

  test('the dearest come first, the rest is cut off and still counted, and a model without a price is named', async () => {
    const { store } = database
    const model = 'claude-opus-5-5'
    const project = await store.write(async (tx) => {
      const host = await sampleHost(tx.record)
      const key = await tx.record.project(host, '/home/u/dear', null, 'dear')
      for (const inputTokens of [5, 500, 50]) {
        const made = await sampleSession(tx)
        await tx.record.setSessionProject(made.key, key)
        await tx.record.mergeUsage([sampleUsage(made, { model, inputTokens })])
      }
      const unpriced = await sampleSession(tx)
      await tx.record.setSessionProject(unpriced.key, key)
      await tx.record.mergeUsage([sampleUsage(unpriced, { model: 'nobody-knows-2' })])
      return '/home/u/dear'
    })
    const cut = await sum(store, { by: 'session', project, limit: 2 })
    expect(cut.rows.map(({ usage }) => usage.inputTokens)).toEqual([500, 50])
    expect(cut).toMatchObject({ isCut: true, unpriced: ['nobody-knows-2'], total: { messages: 4 } })
    const last = (await sum(store, { by: 'session', project })).rows.at(-1)
    expect(last).toMatchObject({ costUsd: null, messages: 1 })
    const expected = costOf({
      model,
      messageCount: 3,
      inputTokens: 555,
      outputTokens: 6,
      cacheReadTokens: 9,
      cacheCreationTokens: 12,
      cacheCreation1hTokens: 0,
      webSearchCount: 0,
      statedNanoUsd: 0,
    })
    expect((await sum(store, { by: 'project', project: 'dear' })).rows[0]?.costUsd).toBeCloseTo(
      expected.costUsd ?? -1,
      9,
    )
  })

  test('what the agent CLI states counts where no price is known, once for each message, and is named', async () => {
    const { store } = database
    const [unknown, known] = ['local/own-1', 'claude-opus-5-5']
    const session = await store.write(async (tx) => {
      const made = await sampleSession(tx)
      const first = sampleUsage(made, { model: unknown, statedNanoUsd: 1_500_000_000 })
      // A later line of the same message says more of it.
      await tx.record.mergeUsage([first, sampleUsage(made, { model: unknown, statedNanoUsd: 250_000_000 })])
      await tx.record.mergeUsage([{ ...first, statedNanoUsd: 2_000_000_000 }])
      await tx.record.mergeUsage([sampleUsage(made, { model: known, statedNanoUsd: 9_000_000_000 })])
      return sessionId(made.id)
    })
    const costs = await sum(store, { sessionId: session })
    expect(costs).toMatchObject({ stated: [unknown], unpriced: [], estimated: [] })
    const stated = costs.rows.find(({ key }) => key === unknown)
    expect(stated).toMatchObject({ costUsd: 2.25, isEstimate: false, messages: 2 })
    expect(costs.rows.find(({ key }) => key === known)?.costUsd).toBeLessThan(0.01)
    expect((await store.sessions.find(session))?.costUsd).toBeCloseTo(costs.total.costUsd ?? -1, 9)
    // Where no model that is asked for has a price, and where one has.
    for (const [model, costUsd] of [[unknown, 2.25] as const, [undefined, costs.total.costUsd] as const])
      expect(
        (await sum(store, { by: 'session', sessionId: session, ...(model !== undefined && { model }) })).total.costUsd,
      ).toBe(costUsd)
  })

  test('what nobody knows is said so', async () => {
    const { store } = database
    for (const request of [
      { project: 'nowhere' },
      { sessionId: sessionId('nobody') },
      { taskId: taskId('t-nobody01') },
    ])
      expect(await failureOf(sum(store, request))).toMatchObject({ code: 'not_found' })
  })
})
